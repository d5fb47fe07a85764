// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/draconform/draconform/internal/webpage"
)

// enough is the contrast that WCAG 2.2 requires of text at level AA.
const enough = 4.5

// readable are the colours of texts by their backgrounds. Names are those of
// the custom properties of the style sheet.
var readable = map[string][]string{
	"page":  {"ink", "soft", "link", "good", "bad", "open"},
	"panel": {"ink", "soft", "link", "good", "bad", "open"},
	"mark":  {"ink", "soft", "link"},
}

var (
	root     = regexp.MustCompile(`:root\s*{([^}]*)}`)
	property = regexp.MustCompile(`--([a-z-]+):\s*(#[0-9a-fA-F]+)\s*;`)
	colour   = regexp.MustCompile(`#[0-9a-fA-F]{3,8}\b|\b(?:rgb|rgba|hsl|hsla|oklch|color)\(`)
	comment  = regexp.MustCompile(`(?s)/\*.*?\*/`)
	loaded   = regexp.MustCompile(`url\(|@import|@font-face`)
)

// checkContrast returns the pairs of colours of the style sheets that cannot be
// read well, in the light and in the dark scheme, and whatever else makes the
// schemes unknown.
func (s *site) checkContrast() ([]string, error) {
	var problems []string
	for _, name := range s.files {
		if filepath.Ext(name) != ".css" {
			continue
		}
		content, err := os.ReadFile(filepath.Join(s.dir, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		for _, problem := range checkStyle(string(content)) {
			problems = append(problems, name+": "+problem)
		}
	}
	return problems, nil
}

func checkStyle(css string) []string {
	css = comment.ReplaceAllString(css, "")
	var problems []string
	if found := loaded.FindString(css); found != "" {
		problems = append(problems, found+" loads something")
	}
	blocks := root.FindAllStringSubmatch(css, -1)
	if len(blocks) != 2 || !strings.Contains(css, "@media (prefers-color-scheme: dark)") {
		return append(problems, "there is not one :root for the light scheme and one for the dark scheme")
	}
	for _, other := range colour.FindAllString(root.ReplaceAllString(css, ""), -1) {
		problems = append(problems, fmt.Sprintf("%s is not a custom property of :root", other))
	}
	for i, scheme := range []string{"light", "dark"} {
		colours := map[string]string{}
		for _, p := range property.FindAllStringSubmatch(blocks[i][1], -1) {
			colours[p[1]] = p[2]
		}
		for _, back := range slices.Sorted(maps.Keys(readable)) {
			for _, front := range readable[back] {
				if ratio := webpage.Contrast(colours[front], colours[back]); !(ratio >= enough) {
					problems = append(problems, fmt.Sprintf("--%s on --%s has a contrast of %.1f in the %s scheme, not %.1f", front, back, ratio, scheme, enough))
				}
			}
		}
	}
	return problems
}
