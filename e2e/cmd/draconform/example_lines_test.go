// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// example is a command line of the documentation.
type example struct {
	text   string
	inline bool // in a text, and not in a code block
}

// ours are the beginnings of command lines that are checked.
var ours = regexp.MustCompile(`(^|[|;&(] *)(bin/draconform|kubectl draconform|draconform|make) [a-z-]`)

// placeholder stands in a command line for what the reader fills in.
const placeholder = "PLACEHOLDER"

var placeholders = regexp.MustCompile(`<[a-z][a-z ]*>|\.\.\.`)

// commandLines returns the lines of a code block that call one of our commands.
// Lines that end with a backslash or a pipe continue.
func commandLines(block string) []example {
	var all []example
	var line strings.Builder
	for part := range strings.Lines(block) {
		part = strings.TrimPrefix(strings.TrimSpace(part), "$ ")
		if line.Len() > 0 {
			line.WriteByte(' ')
		}
		if rest, ok := strings.CutSuffix(part, `\`); ok {
			line.WriteString(strings.TrimSpace(rest))
			continue
		}
		line.WriteString(part)
		if strings.HasSuffix(part, "|") {
			continue
		}
		if ours.MatchString(line.String()) {
			all = append(all, example{text: line.String()})
		}
		line.Reset()
	}
	return all
}

// calls returns the words of each call of one of our commands, also of those in
// pipes and substitutions. "kubectl draconform" is one word.
func (e example) calls() ([][]string, error) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(placeholders.ReplaceAllString(e.text, placeholder)), "")
	if err != nil {
		return nil, err
	}
	var all [][]string
	syntax.Walk(file, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok {
			return true
		}
		var words []string
		for _, word := range call.Args {
			words = append(words, literal(word))
		}
		if len(words) > 1 && words[0] == "kubectl" && words[1] == "draconform" {
			words = words[1:]
		}
		if len(words) > 1 && (words[0] == "draconform" || words[0] == "bin/draconform" || words[0] == "make") {
			all = append(all, words)
		}
		return true
	})
	return all, nil
}

// literal returns the text of a word without quotes. What depends on variables or
// other commands is a placeholder.
func literal(word *syntax.Word) string {
	constant := true
	syntax.Walk(word, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.ParamExp, *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ArithmExp:
			constant = false
		}
		return true
	})
	if !constant {
		return placeholder
	}
	text, err := expand.Literal(nil, word)
	if err != nil {
		return placeholder
	}
	return text
}
