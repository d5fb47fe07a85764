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

// link is a file of the run, relative to its folder.
type link struct {
	Name string
	URL  string
	Note string
}

// artifacts are what a spec left.
func (e Evidence) artifacts(id string) []link {
	folder := path.Join("artifacts", id)
	if e.Files == nil {
		return nil
	}
	entries, err := fs.ReadDir(e.Files, folder)
	if err != nil {
		return nil // it left nothing
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

// ofRun are what every run leaves, and what readers may want of it. Each of its
// processes leaves files with its number.
var ofRun = []link{
	{Name: "report.yaml", Note: "what this page is made of"},
	{Name: "evidence.md", Note: "the verdict in short, for pull requests"},
	{Name: "junit_*.xml", Note: "the outcomes for CI systems"},
	{Name: "ginkgo_*.log", Note: "every step of every spec"},
	{Name: "artifacts", Note: "what failed specs left"},
	{Name: "nodes", Note: "the logs of the nodes"},
}

// files are those of them that there are.
func (e Evidence) files() []link {
	var there []link
	for _, kind := range ofRun {
		if e.Files == nil {
			break
		}
		names, _ := fs.Glob(e.Files, kind.Name) // The patterns are ours.
		for _, name := range names {
			info, err := fs.Stat(e.Files, name)
			if err != nil {
				continue
			}
			l := link{Name: name, URL: relative(name), Note: kind.Note}
			if info.IsDir() {
				l.Name, l.URL = l.Name+"/", l.URL+"/"
			}
			there = append(there, l)
		}
	}
	return there
}

// relative is a URL that is a path and nothing else, whatever the file's name.
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
