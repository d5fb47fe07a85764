// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package modgraph has the module graphs of Kubernetes releases. Commands that
// are built in the same graph share compiled packages.
package modgraph

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"github.com/draconform/draconform/clusters/internal/gobuild"
)

// Kubernetes is the path of Kubernetes' own module.
const Kubernetes = "k8s.io/kubernetes"

// examples is the prefix of the modules of Kubernetes' repository that are examples.
const examples = "k8s.io/sample-"

// Module returns Kubernetes' own module of a release, such as 1.37.2.
func Module(release string) module.Version {
	return module.Version{Path: Kubernetes, Version: "v" + release}
}

// Graph is the module graph of a Kubernetes release.
type Graph struct {
	// modules are the versions of all modules that the release is built with.
	modules []module.Version
	// excluded are requirements that no command needs.
	excluded []module.Version
	// godebug are the settings of its go.mod, each as key=value.
	godebug []string
}

// Of returns the graph of a release, such as 1.37.2. It downloads the go.mod file
// of Kubernetes.
func Of(ctx context.Context, release string) (Graph, error) {
	goMod, err := gobuild.GoMod(ctx, Module(release))
	if err != nil {
		return Graph{}, err
	}
	return readGraph(goMod, release)
}

// readGraph parses Kubernetes' go.mod. It requires the modules of its own
// repository at v0.0.0 and replaces them with folders that are not part of the
// module. They are published as v0.X.Y for Kubernetes v1.X.Y, except for some
// versions of the examples among them, which no command imports.
func readGraph(goMod, release string) (Graph, error) {
	content, err := os.ReadFile(goMod)
	if err != nil {
		return Graph{}, err
	}
	f, err := modfile.Parse(goMod, content, nil)
	if err != nil {
		return Graph{}, fmt.Errorf("read %s: %w", goMod, err)
	}
	_, rest, ok := strings.Cut(release, ".")
	if !ok {
		return Graph{}, fmt.Errorf("kubernetes version %q is not of the form 1.X.Y", release)
	}
	var g Graph
	staging := 0
	for _, r := range f.Require {
		m := r.Mod
		if strings.HasPrefix(m.Path, "k8s.io/") && m.Version == "v0.0.0" {
			staging++
			if strings.HasPrefix(m.Path, examples) {
				g.excluded = append(g.excluded, m)
				continue
			}
			m.Version = "v0." + rest
		}
		g.modules = append(g.modules, m)
	}
	if staging == 0 {
		return Graph{}, fmt.Errorf("%s requires no module at v0.0.0: the layout of this release is unknown", goMod)
	}
	for _, d := range f.Godebug {
		g.godebug = append(g.godebug, d.Key+"="+d.Value)
	}
	return g, nil
}

// organization returns the owner of a module: on GitHub the owner of the
// repository, and for etcd, which has several modules and repositories, its
// domain. For other modules, it returns the module's path.
func organization(m module.Version) string {
	parts := strings.SplitN(m.Path, "/", 3)
	switch {
	case parts[0] == "go.etcd.io":
		return parts[0]
	case parts[0] == "github.com" && len(parts) > 2:
		return parts[0] + "/" + parts[1]
	}
	return m.Path
}

// Pin pins the modules of a build to their versions in the graph. It does not
// pin modules that the build requires directly, nor modules of the same
// organization as one of these, because their versions belong together. A build
// of Kubernetes itself also has its settings, which count in the main module only,
// and excludes what Kubernetes requires without need.
func (g Graph) Pin(b gobuild.Build) gobuild.Build {
	built := b.Require
	for _, m := range g.modules {
		if !slices.ContainsFunc(built, func(r module.Version) bool { return r.Path == m.Path || organization(r) == organization(m) }) {
			b.Pin = append(b.Pin, m)
		}
	}
	if slices.ContainsFunc(built, func(r module.Version) bool { return r.Path == Kubernetes }) {
		b.Godebug, b.Exclude = g.godebug, g.excluded
	}
	return b
}

// Stamps returns the linker flags that set the release that commands report.
func Stamps(release string) string {
	parts := strings.Split(release, ".")
	stamps := map[string]string{"gitVersion": "v" + release, "gitMajor": parts[0], "gitMinor": parts[1], "gitTreeState": "archive"}
	var flags []string
	for _, name := range []string{"gitVersion", "gitMajor", "gitMinor", "gitTreeState"} {
		flags = append(flags, fmt.Sprintf("-X k8s.io/component-base/version.%s=%s", name, stamps[name]))
	}
	return strings.Join(flags, " ")
}
