// SPDX-License-Identifier: GPL-2.0-only
/* A tree of call chains with the number of samples in each */
#include <stdlib.h>
#include <string.h>

#include "report/call-tree.h"
#include "util/xalloc.h"

void call_tree_init(struct call_tree *tree)
{
	*tree = (struct call_tree){ .root = { .command = "all" } };
}

/* Find or add a child. @key: its symbol or command */
static struct call_node *child_of(struct call_tree *tree, struct call_node *parent,
				  const void *key)
{
	void **place = pair_map_slot(&tree->children, (uintptr_t)parent, (uintptr_t)key);
	struct call_node *child = *place;

	if (!child) {
		child = xcalloc(1, sizeof(*child));
		child->sibling = parent->child;
		parent->child = child;
		*place = child;
	}
	return child;
}

void call_tree_add(struct call_tree *tree, const char *command,
		   const struct symbol *const *frames, size_t num_frames, uint64_t overflows)
{
	struct call_node *node = child_of(tree, &tree->root, command);
	size_t i;

	tree->root.total += overflows;
	node->command = command;
	node->total += overflows;
	for (i = 0; i < num_frames; i++) {
		node = child_of(tree, node, frames[i]);
		node->symbol = frames[i];
		node->total += overflows;
	}
	node->self += overflows;
}

/* ---- order ---- */

static int compare_texts(const char *a, const char *b)
{
	return a == b ? 0 : !a ? -1 : !b ? 1 : strcmp(a, b);
}

static int compare(const void *left, const void *right)
{
	const struct call_node *a = *(struct call_node *const *)left;
	const struct call_node *b = *(struct call_node *const *)right;
	int order = compare_texts(a->command, b->command);

	if (order || !a->symbol || !b->symbol)
		return order;
	order = strcmp(a->symbol->name, b->symbol->name);
	if (!order)
		order = strcmp(a->symbol->file, b->symbol->file);
	return order ? order : a->symbol->kernel - b->symbol->kernel;
}

static void sort_children(struct call_node *node)
{
	struct call_node **children = NULL, *child;
	size_t num = 0;

	for (child = node->child; child; child = child->sibling) {
		children = xgrow(children, num, sizeof(*children));
		children[num++] = child;
	}
	if (num)
		qsort(children, num, sizeof(*children), compare);
	for (node->child = NULL; num; num--) {
		children[num - 1]->sibling = node->child;
		node->child = children[num - 1];
	}
	free(children);
}

/* The recursion is at most CALL_TREE_DEPTH deep. */
static void sort_below(struct call_node *node)
{
	struct call_node *child;

	sort_children(node);
	for (child = node->child; child; child = child->sibling)
		sort_below(child);
}

void call_tree_sort(struct call_tree *tree)
{
	sort_below(&tree->root);
}

static void free_below(struct call_node *node)
{
	struct call_node *child;

	while (node->child) {
		child = node->child;
		node->child = child->sibling;
		free_below(child);
		free(child);
	}
}

void call_tree_free(struct call_tree *tree)
{
	free_below(&tree->root);
	pair_map_free(&tree->children);
}

/* ---- names ---- */

char *call_node_name(const struct call_node *node)
{
	const char *file, *slash;

	if (node->command)
		return xstrdup(node->command);
	if (symbol_is_known(node->symbol))
		return xstrdup(node->symbol->name);
	file = node->symbol->file;
	if (file[0] == '[')
		return xstrdup(file);
	slash = strrchr(file, '/');
	return xasprintf("[%s]", slash ? slash + 1 : file);
}
