// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package images

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"

	"github.com/draconform/draconform/clusters/internal/gobuild"
	"github.com/draconform/draconform/clusters/internal/modgraph"
	"github.com/draconform/draconform/clusters/internal/self"
)

// sourceFolder is the folder of a throw-away module with the packages of the
// checkout.
const sourceFolder = "sources"

// withKubernetes returns a build of commands in the module graph of a Kubernetes
// version. The throw-away module stays in the folder of the binaries, because
// its go.sum takes a while to be made.
func withKubernetes(ctx context.Context, version, out string, images []Image) (gobuild.Build, error) {
	graph, err := modgraph.Of(ctx, version)
	if err != nil {
		return gobuild.Build{}, err
	}
	build := graph.Pin(gobuild.Build{
		Require: []module.Version{modgraph.Module(version)},
		Sources: map[string][]byte{},
		Dir:     filepath.Join(out, "module"),
		Out:     out,
		LDFlags: modgraph.Stamps(version),
	})
	// The folder may have files of an earlier build that no longer exist.
	if err := os.RemoveAll(filepath.Join(build.Dir, sourceFolder)); err != nil {
		return gobuild.Build{}, err
	}
	for _, image := range images {
		build.Tags = image.Tags
		command := image.Package
		own := !strings.HasPrefix(command, modgraph.Kubernetes+"/")
		if own {
			command = "./" + sourceFolder + "/" + image.Binary()
		}
		if slices.Contains(build.Commands, command) {
			continue
		}
		build.Commands = append(build.Commands, command)
		if !own {
			continue
		}
		if err := addSources(ctx, build.Sources, image); err != nil {
			return gobuild.Build{}, err
		}
	}
	return build, nil
}

// addSources adds the files of an image's package, except for tests, to the
// sources of a throw-away module.
func addSources(ctx context.Context, sources map[string][]byte, image Image) error {
	checkout, err := self.Source(ctx, image.Module, "")
	if err != nil {
		return err
	}
	dir := filepath.Join(checkout.Dir, filepath.FromSlash(strings.TrimPrefix(image.Package, image.Module+"/")))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("read the package of image %s: %w", image.Ref, err)
	}
	for _, entry := range entries {
		name := entry.Name()
		if entry.IsDir() || strings.HasSuffix(name, "_test.go") {
			continue
		}
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return fmt.Errorf("read the package of image %s: %w", image.Ref, err)
		}
		sources[path.Join(sourceFolder, image.Binary(), name)] = content
	}
	return nil
}
