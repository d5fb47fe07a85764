// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/draconform/draconform/internal/webpage"
)

// repository is the address of the project, and branches are the addresses of
// its files.
const repository = "https://github.com/draconform/draconform"

var branches = []string{repository + "/blob/main/", repository + "/tree/main/"}

// references are the attributes that refer to something. The browser loads what
// is not a link by itself.
var references = []string{"href", "src", "action", "poster", "data", "srcset"}

// checkLinks returns the links of all pages that lead nowhere: to a missing
// file or anchor of the site, or a missing file of the repository. What the
// browser loads by itself must be a file of the site.
func (s *site) checkLinks(checkout string) []string {
	var problems []string
	for _, p := range s.pages {
		for n := range p.Elements() {
			for _, name := range references {
				link, ok := webpage.Lookup(n, name)
				if !ok {
					continue
				}
				if problem := s.checkLink(p, n, link, checkout); problem != "" {
					problems = append(problems, fmt.Sprintf("%s: %s: %s", p.name, link, problem))
				}
			}
		}
	}
	slices.Sort(problems)
	return slices.Compact(problems)
}

// checkLink returns what is wrong with a link, or an empty text.
func (s *site) checkLink(from *page, n *html.Node, link, checkout string) string {
	u, err := url.Parse(link)
	switch {
	case err != nil:
		return "is not a URL"
	case link == "":
		return "is empty"
	case u.IsAbs() || u.Host != "":
		if n.Data != "a" {
			return "is loaded from elsewhere"
		}
		return checkRepository(link, checkout)
	case strings.HasPrefix(u.Path, "/"):
		return "depends on the address of the site"
	}
	name := from.name
	if u.Path != "" {
		name = path.Join(path.Dir(from.name), u.Path)
	}
	if !slices.Contains(s.files, name) {
		return "there is no such file"
	}
	if u.Fragment == "" {
		return ""
	}
	if to := s.page(name); to == nil || !slices.Contains(to.IDs, u.Fragment) {
		return "there is no such anchor"
	}
	return ""
}

// checkRepository returns what is wrong with a link to a file of the repository
// in the checkout. Other links are not followed.
func checkRepository(link, checkout string) string {
	for _, branch := range branches {
		file, ok := strings.CutPrefix(link, branch)
		if !ok {
			continue
		}
		file, _, _ = strings.Cut(file, "#")
		if _, err := os.Stat(filepath.Join(checkout, filepath.FromSlash(file))); err != nil {
			return "the repository has no such file"
		}
	}
	return ""
}
