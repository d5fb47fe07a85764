// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package published

import (
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// heading is the title of the section with the commands.
const heading = "Reproduce"

// commandsOf returns the flags of each run of draconform in the code blocks of
// the section "Reproduce". It reports whether there is such a section.
func commandsOf(markdown []byte) (runs [][]string, found bool) {
	level := 0 // of the section, 0 outside of it
	for node := goldmark.DefaultParser().Parse(text.NewReader(markdown)).FirstChild(); node != nil; node = node.NextSibling() {
		if title, ok := node.(*ast.Heading); ok {
			switch is := strings.EqualFold(strings.TrimSpace(string(title.Lines().Value(markdown))), heading); {
			case is:
				level, found = title.Level, true
			case title.Level <= level:
				level = 0
			}
		}
		if level > 0 {
			runs = append(runs, runsIn(node, markdown)...)
		}
	}
	return runs, found
}

// runsIn returns the runs in the code blocks of a node, which may be a list.
func runsIn(node ast.Node, markdown []byte) [][]string {
	var runs [][]string
	// The function returns no error, so the walk does not either.
	_ = ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if kind := n.Kind(); entering && (kind == ast.KindFencedCodeBlock || kind == ast.KindCodeBlock) {
			runs = append(runs, runsOf(string(n.Lines().Value(markdown)))...)
		}
		return ast.WalkContinue, nil
	})
	return runs
}

// runsOf returns the flags of each "draconform run" and "draconform skew" in
// lines of a shell. Other text has none.
func runsOf(lines string) [][]string {
	file, err := syntax.NewParser().Parse(strings.NewReader(lines), "")
	if err != nil {
		return nil
	}
	var runs [][]string
	syntax.Walk(file, func(node syntax.Node) bool {
		if call, ok := node.(*syntax.CallExpr); ok {
			if words, ok := runOf(wordsOf(call)); ok {
				runs = append(runs, flagsOf(words))
			}
		}
		return true
	})
	return runs
}

// wordsOf returns the words of a command without quotes. Variables are empty.
func wordsOf(call *syntax.CallExpr) []string {
	var words []string
	for _, word := range call.Args {
		// An error is a substitution, whose result is unknown.
		literal, err := expand.Literal(&expand.Config{}, word)
		if err != nil {
			literal = ""
		}
		words = append(words, literal)
	}
	return words
}

// runOf returns the words after "draconform run" or "draconform skew". The
// command may have a path, a version, and words before it, such as "go run".
func runOf(words []string) ([]string, bool) {
	for i := range len(words) - 1 {
		name, _, _ := strings.Cut(path.Base(words[i]), "@")
		if name == "draconform" && (words[i+1] == "run" || words[i+1] == "skew") {
			return words[i+1:], true
		}
	}
	return nil, false
}

// notCompared are the flags that say where a run finds the cluster and writes
// its files. They differ between machines.
var notCompared = []string{"artifacts", "context", "keep", "kubeconfig"}

// flagsOf returns the command and its flags in a form that can be compared:
// sorted, and each as name=value. Of the paths of driver files, only the names
// count.
func flagsOf(words []string) []string {
	flags := []string{}
	for i := 0; i < len(words); i++ {
		flag, isFlag := strings.CutPrefix(words[i], "--")
		if !isFlag {
			flags = append(flags, words[i])
			continue
		}
		name, value, hasValue := strings.Cut(flag, "=")
		if !hasValue && i+1 < len(words) && !strings.HasPrefix(words[i+1], "--") {
			i++
			value = words[i]
		} else if !hasValue {
			value = "true"
		}
		if name == "driver" {
			files := strings.Split(value, ",")
			for j := range files {
				files[j] = path.Base(files[j])
			}
			value = strings.Join(files, ",")
		}
		if !slices.Contains(notCompared, name) {
			flags = append(flags, name+"="+value)
		}
	}
	slices.Sort(flags)
	return flags
}
