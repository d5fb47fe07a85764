// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package gobuild

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// pin writes the throw-away module such that each pinned module has its
// version. Requirements of newer versions are excluded
// (https://go.dev/ref/mod#go-mod-file-exclude). A replacement would pin the
// code, too, but the compiled packages would contain the name of the newer
// version. They would differ from those of a build in which no module requires
// the newer version.
func (b Build) pin(ctx context.Context) error {
	pinned := map[string]string{}
	for _, m := range b.Pin {
		pinned[m.Path] = m.Version
	}
	excluded := slices.Clone(b.Exclude)
	for {
		if err := b.writeModule(excluded); err != nil {
			return err
		}
		if len(pinned) == 0 {
			return nil
		}
		graph, err := b.graph(ctx)
		if err != nil {
			return err
		}
		newer := newerThan(pinned, graph)
		if len(newer) == 0 {
			return nil
		}
		// Without these versions, the graph may contain other newer ones. The
		// number of versions is small.
		excluded = append(excluded, newer...)
	}
}

// graph returns the requirement graph of the throw-away module in the format of
// "go mod graph".
func (b Build) graph(ctx context.Context) ([]byte, error) {
	out, err := output(ctx, b.Dir, resolving, "mod", "graph")
	if err != nil {
		return nil, fmt.Errorf("read the module graph: %w", err)
	}
	return out, nil
}

// newerThan returns the distinct versions in a graph that are newer than the
// pinned ones. Excluded versions are not in the graph.
func newerThan(pinned map[string]string, graph []byte) []module.Version {
	var newer []module.Version
	seen := map[module.Version]bool{}
	for lines := bufio.NewScanner(bytes.NewReader(graph)); lines.Scan(); {
		_, required, _ := strings.Cut(lines.Text(), " ")
		path, version, _ := strings.Cut(required, "@")
		m := module.Version{Path: path, Version: version}
		if want, ok := pinned[path]; ok && semver.Compare(version, want) > 0 && !seen[m] {
			seen[m] = true
			newer = append(newer, m)
		}
	}
	return newer
}
