// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"context"
	"os"
	"path/filepath"

	"golang.org/x/mod/module"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/internal/gobuild"
	"github.com/draconform/draconform/clusters/internal/modgraph"
	"github.com/draconform/draconform/internal/gocmd"
)

const (
	containerdModule = "github.com/containerd/containerd/v2"
	logrusModule     = "github.com/sirupsen/logrus"
	shimCommand      = containerdModule + "/cmd/containerd-shim-runc-v2"
)

// runtime is the artifact with the programs of nodes of all releases: containerd
// and ctr as one program, containerd's shim, CoreDNS, and podroutes.
// CoreDNS has the same version for all releases, regardless of kubeadm's tag:
// older versions do not compile with the client-go of their release. The
// modules have the versions of the newest release, which the suite is built
// with, too.
func (in inputs) runtime() (artifact, error) {
	main, err := sources.ReadFile("files/containerd.go.txt")
	if err != nil {
		return artifact{}, err
	}
	dns, err := sources.ReadFile("files/coredns.go.txt")
	if err != nil {
		return artifact{}, err
	}
	m := in.module(containerdModule)
	b := gobuild.Build{
		Require:  []module.Version{m, in.module(logrusModule), in.module(coreDNSModule)},
		Sources:  map[string][]byte{"containerd/main.go": main, "coredns/main.go": dns},
		Commands: []string{"./containerd", shimCommand, "./coredns", "./podroutes"},
		// Leave out optional features: NRI plugins in WebAssembly, Intel's RDT,
		// and the export of traces.
		Tags:    []string{"nri_no_wasm", "no_rdt", "no_tracing"},
		LDFlags: "-X " + containerdModule + "/version.Version=" + m.Version,
	}
	podroutes, err := sources.ReadDir("podroutes")
	if err != nil {
		return artifact{}, err
	}
	for _, file := range podroutes {
		path := "podroutes/" + file.Name()
		if b.Sources[path], err = sources.ReadFile(path); err != nil {
			return artifact{}, err
		}
	}
	return binaries("runtime", "containerd "+m.Version+", CoreDNS and the network of pods", clusters.Newest().Version, b).alsoCalled("containerd", "ctr"), nil
}

// binaries is an artifact with commands that are built in the module graph of a
// Kubernetes release.
func binaries(name, what, release string, b gobuild.Build) artifact {
	return artifact{
		name: name,
		key:  key(layoutVersion, release, b, gocmd.Flags),
		what: what,
		build: func(ctx context.Context, dir string, update func(string, ...any)) error {
			graph, err := modgraph.Of(ctx, release)
			if err != nil {
				return err
			}
			b := graph.Pin(b)
			b.Dir, b.Out = filepath.Join(dir, "module"), dir
			return b.Run(ctx, update)
		},
	}
}

// alsoCalled adds a second name to a binary of the artifact.
func (a artifact) alsoCalled(binary, name string) artifact {
	build := a.build
	a.build = func(ctx context.Context, dir string, update func(string, ...any)) error {
		if err := build(ctx, dir, update); err != nil {
			return err
		}
		return os.Symlink(binary, filepath.Join(dir, name))
	}
	return a
}
