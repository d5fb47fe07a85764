// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package webpage

import (
	"math"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

// right is a page without problems.
const right = `<!doctype html><html lang="en"><head><title>A</title></head><body>
<nav aria-label="Pages"><a href="#part">Part</a></nav>
<main><h1 id="start">Start</h1><img src="icon.svg" alt=""><h2 id="part">Part</h2>
<label for="q">Find</label><input id="q"><label>Outcome <select><option>all</option></select></label><progress aria-label="Finished"></progress>
<section aria-labelledby="part"><div role="region" aria-labelledby="part" tabindex="0">
<table><thead><tr><th scope="col">id</th></tr></thead><tbody><tr><td>one</td></tr></tbody></table></div></section>
<details><summary>More</summary><button>Copy</button></details></main></body></html>`

func problems(t *testing.T, page string) []string {
	t.Helper()
	p, err := Parse(strings.NewReader(page))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return p.Problems()
}

func TestARightPageHasNoProblems(t *testing.T) {
	NewWithT(t).Expect(problems(t, right)).To(BeEmpty())
}

// Each page differs from the right one in one place.
func TestProblems(t *testing.T) {
	for name, test := range map[string]struct{ old, replacement, want string }{
		"language":               {` lang="en"`, "", "html has no lang"},
		"title":                  {"<title>A</title>", "<title> </title>", "the title is empty"},
		"no main":                {"<main>", "<div>", "there are 0 elements main, not 1"},
		"left out level":         {`<h2 id="part">Part</h2>`, `<h3 id="part">Part</h3>`, `heading "Part" has level 3 after level 1`},
		"no first heading":       {`<h1 id="start">Start</h1>`, "", "there are 0 headings of level 1, not 1"},
		"image":                  {` alt=""`, "", "image icon.svg has no alt"},
		"link":                   {">Part</a>", "></a>", "a #part has no text"},
		"button":                 {"<button>Copy", "<button>", "button  has no text"},
		"summary":                {"<summary>More", "<summary>", "summary  has no text"},
		"navigation":             {` aria-label="Pages"`, "", "nav has no aria-label"},
		"field":                  {`<label for="q">Find</label>`, "", `input "q" has no label`},
		"field in a mute label":  {"<label>Outcome ", "<label>", `select "" has no label`},
		"field without label":    {"<label>Outcome <select><option>all</option></select></label>", "<select></select>", `select "" has no label`},
		"progress":               {` aria-label="Finished"`, "", `progress "" has no label`},
		"id twice":               {`id="q"`, `id="part"`, `id "part" is used twice`},
		"table":                  {` scope="col"`, "", `table "idone" has no headers with a scope`},
		"region without keys":    {` tabindex="0"`, "", `region "part" cannot be reached with the keyboard`},
		"region without name":    {`role="region" aria-labelledby="part"`, `role="region"`, `region "idone" has no name`},
		"name that is not there": {`<section aria-labelledby="part"`, `<section aria-labelledby="parts"`, `section is named by "parts", which does not exist`},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(strings.Count(right, test.old)).To(Equal(1), "the test replaces what exists once")
			found := problems(t, strings.Replace(right, test.old, test.replacement, 1))
			g.Expect(found).To(ContainElement(test.want))
		})
	}
}

func TestContrastIsThatOfWCAG(t *testing.T) {
	g := NewWithT(t)
	g.Expect(Contrast("#000", "#ffffff")).To(BeNumerically("~", 21, 0.01))
	g.Expect(Contrast("#777777", "#fff")).To(BeNumerically("~", 4.48, 0.01), "the grey that is just too light")
	g.Expect(Contrast("#123456", "#123456")).To(BeNumerically("~", 1, 0.01))
	g.Expect(math.IsNaN(Contrast("red", "#fff"))).To(BeTrue())
}
