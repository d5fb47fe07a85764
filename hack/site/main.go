// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Command site completes and checks the documentation site that Hugo has
// built: it writes the index of the search, and fails if a link leads nowhere
// or if a page breaks a basic rule of accessibility.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	checkout := flag.String("checkout", ".", "root of the checkout, whose files the site links")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: site [--checkout DIR] DIR")
		os.Exit(2)
	}
	summary, problems, err := run(flag.Arg(0), *checkout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	for _, p := range problems {
		fmt.Fprintln(os.Stderr, p)
	}
	if len(problems) > 0 {
		fmt.Fprintf(os.Stderr, "error: the site has %d problems\n", len(problems))
		os.Exit(1)
	}
	fmt.Printf("%s: %s\n", flag.Arg(0), summary)
}

// run writes the index of a site, and returns what it consists of and its
// problems.
func run(dir, checkout string) (summary string, problems []string, err error) {
	s, err := load(dir)
	if err != nil {
		return "", nil, err
	}
	entries, err := s.writeIndex()
	if err != nil {
		return "", nil, err
	}
	problems = s.checkLinks(checkout)
	for _, p := range s.pages {
		for _, problem := range p.Problems() {
			problems = append(problems, p.name+": "+problem)
		}
	}
	colours, err := s.checkContrast()
	if err != nil {
		return "", nil, err
	}
	summary = fmt.Sprintf("%d pages, %d entries in the index of the search", len(s.pages), entries)
	return summary, append(problems, colours...), nil
}
