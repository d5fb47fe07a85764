package gobuild

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// pin writes the throw-away module so that each of the pinned modules has its
// version, though others require newer ones: those requirements are excluded
// (https://go.dev/ref/mod#go-mod-file-exclude). A replacement would take the
// place of a newer version as well, but leave that one's name in what is
// compiled, which then is not the same as where nobody required it.
func (b Build) pin(ctx context.Context) error {
	pinned := map[string]string{}
	for _, m := range b.Pin {
		pinned[m.Path] = m.Version
	}
	var excluded []module.Version
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
		// The graph without them may lead to others, of which there are not many.
		excluded = append(excluded, newer...)
	}
}

// graph is each requirement of the throw-away module's graph, as "go mod graph"
// prints it.
func (b Build) graph(ctx context.Context) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", "mod", "graph")
	cmd.Dir = b.Dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, fmt.Errorf("read the module graph: %w: %s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}

// newerThan are the versions in a graph that are newer than the pinned ones, each
// once. An excluded version is not in the graph.
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
