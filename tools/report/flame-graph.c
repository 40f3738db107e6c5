// SPDX-License-Identifier: GPL-2.0-only
/*
 * Draw a flame graph: a box for each function on top of its caller, as wide as its number of
 * samples. The graph is one self-contained SVG file. The same samples give the same file.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "util/output.h"
#include "util/xalloc.h"

#define WIDTH		1200U
#define MARGIN		10U
#define ROW		17
#define ROWS_ABOVE	44
#define ROWS_BELOW	30

static const char style[] =
	"text { font-family: monospace; font-size: 12px; fill: #000; }\n"
	"#heading { font-size: 16px; text-anchor: middle; }\n"
	"#found { text-anchor: end; }\n"
	"svg.f { cursor: pointer; }\n"
	"svg.f:hover rect { stroke: #000; stroke-width: 1.5; }\n"
	"svg.f rect { stroke: #fff; stroke-width: 0.5; }\n"
	"svg.f text { pointer-events: none; }\n"
	"svg.above { opacity: 0.5; }\n"
	"svg.match rect { fill: #e600e6; }\n"
	"#search { width: 200px; font-family: monospace; font-size: 12px; }\n";

static const char script[] =
#include "flame-graph.js.h"
	;

/* @total: samples of the whole picture */
struct graph {
	FILE *file;
	const char *unit;
	uint64_t total;
	unsigned int depth_max;
};

/* ---- text in XML ---- */

/* The replacement of a byte in XML, or NULL. XML cannot represent control characters. */
static const char *escape(unsigned char c)
{
	switch (c) {
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '"':
		return "&quot;";
	}
	return c < ' ' || c == 0x7f ? "?" : NULL;
}

/* Bytes that are not UTF-8 become U+FFFD, as in JSON. */
static void print_text(const char *text, FILE *file)
{
	struct json_object *object = json_text(text);
	const char *c;

	for (c = json_object_get_string(object); *c; c++)
		if (escape(*c))
			fputs(escape(*c), file);
		else
			fputc(*c, file);
	json_object_put(object);
}

/* ---- colours ---- */

/* FNV-1a. The same name has the same colour in every graph. */
static uint32_t hash(const char *text)
{
	uint32_t value = 2166136261;

	for (; *text; text++)
		value = (value ^ (unsigned char)*text) * 16777619;
	return value;
}

/* Commands are green, the kernel is blue, user mode is yellow to red. */
static void print_colour(const struct call_node *node, const char *name, FILE *file)
{
	uint32_t mixed = hash(name), hue = 5 + mixed % 50;

	if (node->command)
		hue = 95 + mixed % 40;
	else if (node->symbol->kernel)
		hue = 195 + mixed % 40;
	fprintf(file, "hsl(%" PRIu32 ",%" PRIu32 "%%,%" PRIu32 "%%)", hue, 60 + (mixed >> 8) % 25,
		62 + (mixed >> 16) % 12);
}

/* ---- frames ---- */

/* Hundredths of a unit of the picture, rounded */
static uint64_t scale(const struct graph *graph, uint64_t samples)
{
	return scaled_share(samples, graph->total, 100 * (WIDTH - 2 * MARGIN));
}

static void print_hundredths(const char *name, uint64_t hundredths, FILE *file)
{
	fprintf(file, " %s=\"%" PRIu64 ".%02u\"", name, hundredths / 100,
		(unsigned int)(hundredths % 100));
}

static unsigned int height(const struct graph *graph)
{
	return ROWS_ABOVE + (graph->depth_max + 1) * ROW + ROWS_BELOW;
}

static void print_title(const struct graph *graph, const struct call_node *node, const char *name)
{
	char percent[PERCENT_SIZE];

	percent_text(node->total, graph->total, percent);
	print_text(name, graph->file);
	if (node->symbol) {
		fputs(" (", graph->file);
		print_text(node->symbol->file, graph->file);
		fputc(')', graph->file);
	}
	fprintf(graph->file, ": %" PRIu64 " %s%s, %s", node->total, graph->unit,
		plural(node->total), percent);
}

static void print_frame(const struct graph *graph, const struct call_node *node, uint64_t from,
			unsigned int depth)
{
	char *name = call_node_name(node);
	FILE *file = graph->file;

	fputs("<svg class=\"f\"", file);
	print_hundredths("x", 100 * MARGIN + scale(graph, from), file);
	fprintf(file, " y=\"%u\"", height(graph) - ROWS_BELOW - (depth + 1) * ROW);
	print_hundredths("width", scale(graph, node->total), file);
	fprintf(file, " height=\"%u\" data-from=\"%" PRIu64 "\" data-samples=\"%" PRIu64
		"\" data-depth=\"%u\"><title>", ROW - 1, from, node->total, depth);
	print_title(graph, node, name);
	fputs("</title><rect width=\"100%\" height=\"100%\" fill=\"", file);
	print_colour(node, name, file);
	fputs("\"/><text x=\"3\" y=\"12\">", file);
	print_text(name, file);
	fputs("</text></svg>\n", file);
	free(name);
}

/* Print each frame before the frames that it calls, as the script requires. */
static void print_frames(const struct graph *graph, const struct call_node *node, uint64_t from,
			 unsigned int depth)
{
	const struct call_node *child;

	print_frame(graph, node, from, depth);
	for (child = node->child; child; child = child->sibling) {
		print_frames(graph, child, from, depth + 1);
		from += child->total;
	}
}

static void find_depth(struct graph *graph, const struct call_node *node, unsigned int depth)
{
	const struct call_node *child;

	if (depth > graph->depth_max)
		graph->depth_max = depth;
	for (child = node->child; child; child = child->sibling)
		find_depth(graph, child, depth + 1);
}

/* ---- the picture ---- */

static void print_head(const struct graph *graph, const char *title)
{
	FILE *file = graph->file;

	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	      "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\"", file);
	fprintf(file, " width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" data-height=\"%u\"",
		WIDTH, height(graph), WIDTH, height(graph), height(graph));
	fputs(" preserveAspectRatio=\"none\">\n<title>", file);
	print_text(title, file);
	fprintf(file, "</title>\n<style>\n%s</style>\n", style);
	fputs("<rect width=\"100%\" height=\"100%\" fill=\"#f8f8f0\"/>\n", file);
	fprintf(file, "<text id=\"heading\" x=\"%u\" y=\"24\">", WIDTH / 2);
	print_text(title, file);
	fprintf(file, ": %" PRIu64 " %s%s</text>\n", graph->total, graph->unit,
		plural(graph->total));
	fprintf(file, "<text id=\"details\" x=\"%u\" y=\"%u\"></text>\n", MARGIN,
		height(graph) - 10);
	fprintf(file, "<text id=\"found\" x=\"%u\" y=\"%u\"></text>\n", WIDTH - MARGIN,
		height(graph) - 10);
}

void flame_graph_print(const struct call_tree *tree, const char *title, const char *unit,
		       FILE *file)
{
	struct graph graph = { .file = file, .unit = unit, .total = tree->root.total };

	find_depth(&graph, &tree->root, 0);
	print_head(&graph, title);
	if (graph.total)
		print_frames(&graph, &tree->root, 0, 0);
	fprintf(file, "<script><![CDATA[\n%s]]></script>\n</svg>\n", script);
}
