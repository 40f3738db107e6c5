/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples by the calls that led to them */
#ifndef CALL_TREE_H
#define CALL_TREE_H

#include "util/pair-map.h"
#include "report/symbols.h"

/*
 * One function, called by those above it. The root stands for all samples, and the
 * nodes below it for the commands: these have a @command instead of a @symbol.
 * @self: overflows sampled here, @total: here and below
 */
struct call_node {
	const char *command;
	const struct symbol *symbol;
	uint64_t self;
	uint64_t total;
	struct call_node *child;
	struct call_node *sibling;
};

struct call_tree {
	struct call_node root;
	struct pair_map children;
};

/* The deepest that a tree can be: a command, and the frames of both modes */
#define CALL_TREE_DEPTH	(1 + 2 * 255 + 1)

void call_tree_init(struct call_tree *tree);

/*
 * @command: always the same pointer for the same name
 * @frames: the outermost first
 */
void call_tree_add(struct call_tree *tree, const char *command,
		   const struct symbol *const *frames, size_t num_frames, uint64_t overflows);

/* Put children in the order of their names. */
void call_tree_sort(struct call_tree *tree);

void call_tree_free(struct call_tree *tree);

/* What a graph or a stack calls a node: of a function without a name, the file */
char *call_node_name(const struct call_node *node);

#endif /* CALL_TREE_H */
