package nodeimage

import (
	"context"
	"path/filepath"

	"golang.org/x/mod/module"

	"github.com/draconform/draconform/clusters/internal/gobuild"
)

const (
	containerdModule = "github.com/containerd/containerd/v2"
	runcModule       = "github.com/opencontainers/runc"
	cniModule        = "github.com/containernetworking/plugins"
)

// containerd is the stage that builds containerd, its shim and ctr. They are
// static; the snapshotters that kind never selects are left out.
func (in inputs) containerd() stage {
	m := in.module(containerdModule)
	return binaries("containerd", m, gobuild.Build{
		Commands: []string{
			containerdModule + "/cmd/containerd",
			containerdModule + "/cmd/containerd-shim-runc-v2",
			containerdModule + "/cmd/ctr",
		},
		Tags:    []string{"no_aufs", "no_btrfs", "no_devmapper", "no_zfs"},
		LDFlags: "-X " + containerdModule + "/version.Version=" + m.Version,
	})
}

// runc is the stage that builds runc. Its C part is linked statically, because
// the C library of the building host may be newer than the node's.
func (in inputs) runc() stage {
	m := in.module(runcModule)
	return binaries("runc", m, gobuild.Build{
		Commands: []string{runcModule},
		CGO:      true,
		Tags:     []string{"netgo", "osusergo", "seccomp"},
		LDFlags:  "-linkmode external -extldflags -static -X main.version=" + m.Version,
	})
}

// cniPlugins is the stage that builds the plugins that the default network
// configuration of kind and of podroutes names.
func (in inputs) cniPlugins() stage {
	return binaries("cni-plugins", in.module(cniModule), gobuild.Build{
		Commands: []string{
			cniModule + "/plugins/ipam/host-local",
			cniModule + "/plugins/main/loopback",
			cniModule + "/plugins/main/ptp",
			cniModule + "/plugins/meta/portmap",
		},
	})
}

// binaries is a stage that builds commands of one module into its folder.
func binaries(name string, m module.Version, b gobuild.Build) stage {
	b.Require = append(b.Require, m)
	return stage{
		name: name,
		key:  key(b),
		what: name + " " + m.Version,
		build: func(ctx context.Context, dir string, update func(string)) error {
			b.Dir = filepath.Join(dir, "module")
			b.Out = dir
			return b.Run(ctx, update)
		},
	}
}
