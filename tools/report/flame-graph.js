// SPDX-License-Identifier: GPL-2.0-only
// The flame graph's script: fit the window, zoom, search. pmcctl embeds this script in each
// flame graph. The embedded copy places no condition on the use or distribution of that SVG.
(function () {
	"use strict";
	const margin = 10, rowHeight = 17, leastTextWidth = 18;
	const svg = document.documentElement;
	const details = document.getElementById("details");
	const found = document.getElementById("found");
	const frames = Array.from(document.querySelectorAll("svg.f"), (element) => ({
		element: element,
		text: element.querySelector("text"),
		name: element.querySelector("text").textContent,
		title: element.querySelector("title").textContent,
		from: Number(element.dataset.from),
		samples: Number(element.dataset.samples),
		depth: Number(element.dataset.depth),
	}));
	const root = frames[0];
	let zoomed = root, input = null;

	function ends(frame) {
		return frame.from + frame.samples;
	}

	// The position of a frame in the visible part of the picture, or null if it is not visible
	function place(frame) {
		const from = Math.max(frame.from, zoomed.from);
		const to = Math.min(ends(frame), ends(zoomed));
		const scale = (svg.clientWidth - 2 * margin) / zoomed.samples;

		if (to <= from)
			return null;
		return { x: margin + (from - zoomed.from) * scale, width: (to - from) * scale };
	}

	function layout() {
		const width = svg.clientWidth;

		svg.setAttribute("viewBox", "0 0 " + width + " " + svg.dataset.height);
		for (const frame of frames) {
			const where = place(frame);

			frame.element.style.display = where ? "" : "none";
			frame.element.classList.toggle("above", frame.depth < zoomed.depth);
			if (!where)
				continue;
			frame.element.setAttribute("x", where.x.toFixed(2));
			frame.element.setAttribute("width", where.width.toFixed(2));
			frame.text.style.display = where.width < leastTextWidth ? "none" : "";
		}
		document.getElementById("heading").setAttribute("x", width / 2);
		found.setAttribute("x", width - margin);
		if (input)
			input.parentNode.setAttribute("x", width - margin - 210);
	}

	function zoom(frame) {
		zoomed = frame;
		layout();
	}

	// The text is a regular expression if it is a valid one, else a literal
	function matcher(term) {
		try {
			return new RegExp(term, "i");
		} catch (error) {
			return new RegExp(term.replace(/[^\w\s]/g, "\\$&"), "i");
		}
	}

	// A sample counts once, however many of its functions match. A frame precedes the
	// frames that it calls.
	function search(term) {
		const expression = term ? matcher(term) : null;
		let samples = 0, counted = 0;

		for (const frame of frames) {
			const match = expression !== null && frame !== root &&
				expression.test(frame.name);

			frame.element.classList.toggle("match", match);
			if (match && frame.from >= counted) {
				samples += frame.samples;
				counted = ends(frame);
			}
		}
		found.textContent = expression === null ? "" : "found: " + samples + " of " +
			root.samples + ", " + (100 * samples / root.samples).toFixed(2) + "%";
	}

	function setSearch(term) {
		if (input && input.value !== term)
			input.value = term;
		history.replaceState(null, "", term ? "#search=" + encodeURIComponent(term) : "#");
		search(term);
	}

	function frameOf(event) {
		const element = event.target.closest ? event.target.closest("svg.f") : null;

		return element ? frames.find((frame) => frame.element === element) : null;
	}

	function addInput() {
		const holder = document.createElementNS("http://www.w3.org/2000/svg", "foreignObject");

		input = document.createElementNS("http://www.w3.org/1999/xhtml", "input");
		input.setAttribute("id", "search");
		input.setAttribute("type", "search");
		input.setAttribute("placeholder", "search (Ctrl-F)");
		input.setAttribute("aria-label", "search functions");
		input.addEventListener("input", () => setSearch(input.value));
		holder.setAttribute("y", 6);
		holder.setAttribute("width", 210);
		holder.setAttribute("height", 26);
		holder.appendChild(input);
		svg.appendChild(holder);
	}

	function onKey(event) {
		if ((event.ctrlKey || event.metaKey) && event.key === "f") {
			event.preventDefault();
			input.focus();
			input.select();
		} else if (event.key === "Escape") {
			setSearch("");
			input.blur();
			zoom(root);
		}
	}

	function fromAddress() {
		const term = location.hash.match(/^#search=(.*)$/);

		return term ? decodeURIComponent(term[1]) : "";
	}

	if (!root)
		return;
	svg.setAttribute("width", "100%");
	addInput();
	svg.addEventListener("click", (event) => {
		const frame = frameOf(event);

		if (frame)
			zoom(frame);
	});
	svg.addEventListener("mouseover", (event) => {
		const frame = frameOf(event);

		details.textContent = frame ? frame.title : "";
	});
	window.addEventListener("keydown", onKey);
	window.addEventListener("resize", layout);
	window.addEventListener("hashchange", () => setSearch(fromAddress()));
	layout();
	if (fromAddress())
		setSearch(fromAddress());
}());
