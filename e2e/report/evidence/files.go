// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"cmp"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"
)

// link is a file of the run, relative to its directory.
type link struct {
	Name string
	URL  string
	Note string
}

// artifacts returns the artifacts of a spec.
func (e Evidence) artifacts(id string) []link {
	folder := path.Join("artifacts", id)
	if e.Files == nil {
		return nil
	}
	entries, err := fs.ReadDir(e.Files, folder)
	if err != nil {
		return nil // The spec has no artifacts.
	}
	var links []link
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			links = append(links, link{Name: entry.Name(), URL: relative(path.Join(folder, entry.Name())), Note: size(info.Size())})
		}
	}
	slices.SortFunc(links, func(a, b link) int { return cmp.Compare(a.Name, b.Name) })
	return links
}

// ofRun are the files of every run and their purpose. Each process writes its
// own files, whose names contain its number.
var ofRun = []link{
	{Name: "report.yaml", Note: "the report for programs"},
	{Name: "evidence.md", Note: "a summary for pull requests"},
	{Name: "junit_*.xml", Note: "the outcomes for CI systems"},
	{Name: "ginkgo_*.log", Note: "every step of every spec"},
	{Name: "artifacts", Note: "the artifacts of failed specs"},
	{Name: "nodes", Note: "the logs of the nodes"},
}

// Linked returns the files and folders in the directory of a run that the page
// links, with a slash after folders.
func Linked(dir fs.FS) []string {
	var names []string
	for _, l := range linked(dir) {
		names = append(names, l.Name)
	}
	return names
}

// linked returns the files of ofRun that exist.
func linked(dir fs.FS) []link {
	var existing []link
	for _, kind := range ofRun {
		if dir == nil {
			break
		}
		names, _ := fs.Glob(dir, kind.Name) // The patterns are constant and valid.
		for _, name := range names {
			info, err := fs.Stat(dir, name)
			if err != nil {
				continue
			}
			l := link{Name: name, URL: relative(name), Note: kind.Note}
			if info.IsDir() {
				l.Name, l.URL = l.Name+"/", l.URL+"/"
			}
			existing = append(existing, l)
		}
	}
	return existing
}

// relative returns a URL that consists of a path only, regardless of the file's
// name.
func relative(name string) string {
	return "./" + strings.TrimPrefix((&url.URL{Path: name}).EscapedPath(), "./")
}

func size(bytes int64) string {
	const kib = 1 << 10
	switch {
	case bytes < kib:
		return fmt.Sprintf("%d B", bytes)
	case bytes < kib*kib:
		return fmt.Sprintf("%d KiB", (bytes+kib/2)/kib)
	default:
		return fmt.Sprintf("%.1f MiB", float64(bytes)/(kib*kib))
	}
}
