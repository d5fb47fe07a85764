package nodeimage

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

// moduleGraph returns the versions of all modules that a Kubernetes release is
// built with. Builds with the same versions share the compiled packages with
// Kubernetes, so that each is compiled once.
func moduleGraph(ctx context.Context, release string) ([]module.Version, error) {
	goMod, err := gobuild.GoMod(ctx, module.Version{Path: kubernetesModule, Version: "v" + release})
	if err != nil {
		return nil, err
	}
	return readGraph(goMod, release)
}

// readGraph parses Kubernetes' go.mod. It requires the modules of its own
// repository at v0.0.0 and replaces them with folders that are not part of the
// module. They are published as v0.X.Y for Kubernetes v1.X.Y.
func readGraph(goMod, release string) ([]module.Version, error) {
	content, err := os.ReadFile(goMod)
	if err != nil {
		return nil, err
	}
	f, err := modfile.ParseLax(goMod, content, nil) // ignores replace directives
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", goMod, err)
	}
	_, rest, ok := strings.Cut(release, ".")
	if !ok {
		return nil, fmt.Errorf("kubernetes version %q is not of the form 1.X.Y", release)
	}
	var graph []module.Version
	staging := 0
	for _, r := range f.Require {
		m := r.Mod
		if strings.HasPrefix(m.Path, "k8s.io/") && m.Version == "v0.0.0" {
			m.Version = "v0." + rest
			staging++
		}
		graph = append(graph, m)
	}
	if staging == 0 {
		return nil, fmt.Errorf("%s requires no module at v0.0.0: how this release is laid out is unknown", goMod)
	}
	return graph, nil
}

// organization returns the owner of a module on GitHub. For other modules, it
// returns the module's path.
func organization(m module.Version) string {
	if parts := strings.SplitN(m.Path, "/", 3); parts[0] == "github.com" && len(parts) > 2 {
		return parts[0] + "/" + parts[1]
	}
	return m.Path
}

// inGraph pins the modules of a build to their versions in the graph. It does
// not pin modules that the build requires directly, nor modules of the same
// organization as one of these, because their versions belong together.
func inGraph(b gobuild.Build, graph []module.Version) gobuild.Build {
	built := b.Require
	for _, m := range graph {
		if !slices.ContainsFunc(built, func(r module.Version) bool { return r.Path == m.Path || organization(r) == organization(m) }) {
			b.Pin = append(b.Pin, m)
		}
	}
	return b
}
