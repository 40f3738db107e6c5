/* SPDX-License-Identifier: GPL-2.0-only */
/* A tree of call chains with the number of samples in each */
#ifndef CALL_TREE_H
#define CALL_TREE_H

#include "util/pair-map.h"
#include "report/symbols.h"

/*
 * A function with the call chain from the root to it. The root stands for all samples; its
 * children stand for the commands and have a @command instead of a @symbol.
 * @self: overflows sampled in this node
 * @total: overflows sampled in this node and below
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

/* Maximum depth of a tree: a command, and the frames of kernel and user mode */
#define CALL_TREE_DEPTH	(1 + 2 * 255 + 1)

void call_tree_init(struct call_tree *tree);

/*
 * Add a sample.
 * @command: the same pointer for the same name
 * @frames: the outermost first
 */
void call_tree_add(struct call_tree *tree, const char *command,
		   const struct symbol *const *frames, size_t num_frames, uint64_t overflows);

/* Sort the children of all nodes by their names. */
void call_tree_sort(struct call_tree *tree);

void call_tree_free(struct call_tree *tree);

/* The name of a node in a graph or a stack: the file, for a function without a name */
char *call_node_name(const struct call_node *node);

#endif /* CALL_TREE_H */
