// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

// right are the files of a site without problems.
var right = map[string]string{
	"index.html": `<!doctype html><html lang="en"><head><title>A</title><link rel="stylesheet" href="site.css"></head><body>
<nav aria-label="Pages"><a href="catalogue.html#a-spec">Spec</a> <a href="https://example.com/x">Elsewhere</a></nav>
<main id="content"><h1 id="start">Start</h1><p>First <a href="#part">text</a>.</p><img src="icon.svg" alt="">
<h2 id="part">Part <a href="#part" aria-label="Link to Part">#</a></h2>
<ul><li>One</li></ul><pre>two  three</pre>
<a href="https://github.com/draconform/draconform/blob/main/docs/a.md#x">File</a>
<label for="q">Find</label><input id="q"><a href="#content"><img src="icon.svg" alt="Icon"></a></main></body></html>`,
	"catalogue.html": `<!doctype html><html lang="en"><head><title>C</title></head><body>
<main><h1 id="specs">Specs</h1><h2 id="p">Profile</h2><h3 id="a-spec">a-spec</h3><p>It behaves.</p><p>How.</p></main></body></html>`,
	"requirements.html": `<!doctype html><html lang="en"><head><title>R</title></head><body>
<main><h1 id="requirements">Requirements</h1><table><thead><tr><th scope="col">id</th><th scope="col">statement</th></tr></thead>
<tbody><tr><td><a id="r-1"></a>r-1</td><td>It holds.</td><td>must</td></tr></tbody></table></main></body></html>`,
	"icon.svg": `<svg xmlns="http://www.w3.org/2000/svg"/>`,
	"site.css": `:root { --page: #fff; --panel: #fff; --mark: #ffffff; --ink: #000; --soft: #000; --link: #000; --good: #000; --bad: #000; --open: #000; }
@media (prefers-color-scheme: dark) { :root { --page: #000; --panel: #000; --mark: #000; --ink: #fff; --soft: #fff; --link: #fff; --good: #fff; --bad: #fff; --open: #fff; } }
body { color: var(--ink); }`,
}

// write writes the right site with one replacement in a file, and a checkout.
func write(t *testing.T, file, old, replacement string) (dir, checkout string) {
	t.Helper()
	g := NewWithT(t)
	dir, checkout = t.TempDir(), t.TempDir()
	g.Expect(os.Mkdir(filepath.Join(checkout, "docs"), 0o755)).To(Succeed())
	g.Expect(os.WriteFile(filepath.Join(checkout, "docs", "a.md"), nil, 0o600)).To(Succeed())
	for name, content := range right {
		if name == file {
			g.Expect(content).To(ContainSubstring(old), "the test replaces what exists")
			content = strings.Replace(content, old, replacement, 1)
		}
		g.Expect(os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600)).To(Succeed())
	}
	return dir, checkout
}

func TestARightSiteHasNoProblems(t *testing.T) {
	g := NewWithT(t)
	summary, problems, err := run(write(t, "", "", ""))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(problems).To(BeEmpty())
	g.Expect(summary).To(Equal("3 pages, 7 entries in the index of the search"))
}

func TestProblemsNameFileAndLink(t *testing.T) {
	for name, test := range map[string]struct{ file, old, replacement, want string }{
		"missing page":          {"index.html", "catalogue.html#a-spec", "missing.html", "index.html: missing.html: there is no such file"},
		"missing anchor":        {"index.html", "#a-spec", "#b-spec", "index.html: catalogue.html#b-spec: there is no such anchor"},
		"anchor of the page":    {"index.html", `href="#part">text`, `href="#parts">text`, "index.html: #parts: there is no such anchor"},
		"anchor of no page":     {"index.html", `href="catalogue.html#a-spec"`, `href="icon.svg#x"`, "index.html: icon.svg#x: there is no such anchor"},
		"missing image":         {"index.html", `src="icon.svg"`, `src="logo.svg"`, "index.html: logo.svg: there is no such file"},
		"missing style":         {"index.html", "site.css", "other.css", "index.html: other.css: there is no such file"},
		"missing in repository": {"index.html", "docs/a.md", "docs/b.md", "index.html: https://github.com/draconform/draconform/blob/main/docs/b.md#x: the repository has no such file"},
		"empty link":            {"index.html", "catalogue.html#a-spec", "", "index.html: : is empty"},
		"no URL":                {"index.html", "catalogue.html#a-spec", "%zz", "index.html: %zz: is not a URL"},
		"address of the site":   {"index.html", "catalogue.html#a-spec", "/catalogue.html", "index.html: /catalogue.html: depends on the address of the site"},
		"script from elsewhere": {"index.html", "<main", `<script src="https://example.com/x.js"></script><main`, "index.html: https://example.com/x.js: is loaded from elsewhere"},
		"style from elsewhere":  {"index.html", `href="site.css"`, `href="//example.com/site.css"`, "index.html: //example.com/site.css: is loaded from elsewhere"},
		"language":              {"index.html", ` lang="en"`, "", "index.html: html has no lang"},
		"title":                 {"index.html", "<title>A</title>", "<title> </title>", "index.html: the title is empty"},
		"no title":              {"index.html", "<title>A</title>", "", "index.html: there are 0 elements title, not 1"},
		"no main":               {"catalogue.html", "<main>", "<div>", "catalogue.html: there are 0 elements main, not 1"},
		"left out level":        {"index.html", "<h2", "<h3", `index.html: heading "Part #" has level 3 after level 1`},
		"two first headings":    {"catalogue.html", `<h2 id="p">Profile</h2>`, `<h1 id="p">Profile</h1><h2>x</h2>`, "catalogue.html: there are 2 headings of level 1, not 1"},
		"image without alt":     {"index.html", ` alt=""`, "", "index.html: image icon.svg has no alt"},
		"link without text":     {"index.html", ">Spec<", "><", "index.html: a catalogue.html#a-spec has no text"},
		"link with mute image":  {"index.html", `alt="Icon"`, `alt=""`, "index.html: a #content has no text"},
		"input without label":   {"index.html", `<label for="q">Find</label>`, "", `index.html: input "q" has no label`},
		"nameless navigation":   {"index.html", ` aria-label="Pages"`, "", "index.html: nav has no aria-label"},
		"id twice":              {"catalogue.html", `id="p"`, `id="specs"`, `catalogue.html: id "specs" is used twice`},
		"table without headers": {"requirements.html", `<th scope="col">id</th><th scope="col">statement</th>`, "<td>id</td>", `requirements.html: table "id r-1It holds.must" has no headers with a scope`},
		"contrast in the light": {"site.css", "--soft: #000", "--soft: #777", "site.css: --soft on --mark has a contrast of 4.5 in the light scheme, not 4.5"},
		"contrast in the dark":  {"site.css", "--link: #fff", "--link: #0757ba", "site.css: --link on --page has a contrast of 3.1 in the dark scheme, not 4.5"},
		"colour without name":   {"site.css", "var(--ink)", "#123456", "site.css: #123456 is not a custom property of :root"},
		"no dark scheme":        {"site.css", "dark", "light", "site.css: there is not one :root for the light scheme and one for the dark scheme"},
		"missing colour":        {"site.css", "--bad: #000;", "", "site.css: --bad on --page has a contrast of NaN in the light scheme, not 4.5"},
		"font from elsewhere":   {"site.css", "body {", "@font-face {", "site.css: @font-face loads something"},
	} {
		t.Run(name, func(t *testing.T) {
			_, problems, err := run(write(t, test.file, test.old, test.replacement))
			g := NewWithT(t)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(problems).To(ContainElement(test.want))
		})
	}
}

func TestIndexHasPagesSectionsSpecsAndRequirements(t *testing.T) {
	g := NewWithT(t)
	dir, checkout := write(t, "", "", "")
	_, _, err := run(dir, checkout)
	g.Expect(err).NotTo(HaveOccurred())
	content, err := os.ReadFile(filepath.Join(dir, "search-index.js"))
	g.Expect(err).NotTo(HaveOccurred())
	index, ok := strings.CutPrefix(string(content), "var searchIndex = ")
	g.Expect(ok).To(BeTrue(), "a script that sets the variable")
	var got []entry
	g.Expect(json.Unmarshal([]byte(strings.TrimSuffix(index, ";\n")), &got)).To(Succeed())
	g.Expect(got).To(ConsistOf(
		entry{"Start", "page", "index.html", "First text."},
		entry{"Part", "Start", "index.html#part", "One two three"},
		entry{"Specs", "page", "catalogue.html", ""},
		entry{"Profile", "Specs", "catalogue.html#p", ""},
		entry{"a-spec", "spec", "catalogue.html#a-spec", "It behaves. How."},
		entry{"Requirements", "page", "requirements.html", "id · statement"},
		entry{"r-1", "requirement", "requirements.html#r-1", "It holds. · must"},
	))
}

func TestAFolderWithoutPagesIsAnError(t *testing.T) {
	_, err := load(t.TempDir())
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("it has no pages")))
}
