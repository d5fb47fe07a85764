// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package page has what the HTML pages and the Markdown about runs have in
// common.
package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"
)

//go:embed style.css
var style string

// Style returns the style sheet of all pages.
func Style() template.CSS {
	return template.CSS(style) //nolint:gosec // The file is embedded.
}

// Policy returns the Content-Security-Policy of a page with a script: no other
// script runs, and nothing is loaded.
func Policy(script string) string {
	sum := sha256.Sum256([]byte(script))
	return "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Badge shows an outcome or a verdict. Its class selects the colour, and on pages also
// the mark, which conveys the same without colour.
type Badge struct{ Class, Mark, Text string }

// NewBadge returns the badge of an outcome of a spec, a requirement, a journey
// or a profile, or of a verdict.
func NewBadge(value any) Badge {
	text := fmt.Sprint(value)
	switch text {
	case "passed", "proved", "held", "conformant":
		return Badge{"good", "✓", text}
	case "failed", "broke", "not-conformant":
		return Badge{"bad", "✗", text}
	case "incomplete", "undecided":
		return Badge{"open", "!", text}
	case "":
		return Badge{"open", "!", "no outcome"}
	default:
		return Badge{"none", "–", text}
	}
}

var escapes = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`, "|", `\|`, "~", `\~`, "&", `\&`, "#", `\#`, "!", `\!`,
)

// Cell escapes text for Markdown and puts it on one line.
func Cell(text string) string { return escapes.Replace(strings.Join(strings.Fields(text), " ")) }
