package nodeimage

import (
	"context"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/mod/module"

	"github.com/draconform/draconform/clusters/internal/gobuild"
	"github.com/draconform/draconform/clusters/internal/self"
)

// The sources of what is compiled into the image from here, without tests.
//
//go:embed files/coredns.go.txt podroutes/kernel.go podroutes/main.go podroutes/node.go
var sources embed.FS

// etcd is the stage that builds the etcd server that kubeadm asks for.
func etcd(tag string) stage {
	version, _, _ := strings.Cut(tag, "-") // 3.7.0-0: the image's revision follows
	m := module.Version{Path: "go.etcd.io/etcd/server/v3", Version: "v" + version}
	return binaries("etcd", m, gobuild.Build{Commands: []string{m.Path}}).renamed("server", "etcd")
}

// coreDNS is the stage that builds CoreDNS with the plugins that kubeadm's
// Corefile names, and no others: the rest of them bring in the clients of
// several clouds.
func coreDNS(version string) (stage, error) {
	main, err := sources.ReadFile("files/coredns.go.txt")
	if err != nil {
		return stage{}, err
	}
	return binaries("coredns", module.Version{Path: "github.com/coredns/coredns", Version: version}, gobuild.Build{
		Commands: []string{"."},
		Sources:  map[string][]byte{"main.go": main},
	}).renamed("throwaway", "coredns"), nil
}

// podroutes is the stage that builds the network daemon of the image, with the
// modules of this one: most of it is compiled already then.
func (in inputs) podroutes() stage {
	return stage{
		name: "podroutes",
		key:  key(contents(sources, "podroutes"), in.Modules),
		what: "podroutes, the network of pods",
		build: func(ctx context.Context, dir string, update func(string)) error {
			b, err := self.Source(ctx, "", filepath.Join(dir, "module"))
			if err != nil {
				return err
			}
			b.Commands, b.Out = []string{self.ModulePath + "/clusters/nodeimage/podroutes"}, dir
			return b.Run(ctx, update)
		},
	}
}

// renamed gives a binary another name than the go command does, which takes it
// from the import path.
func (s stage) renamed(from, to string) stage {
	build := s.build
	s.build = func(ctx context.Context, dir string, update func(string)) error {
		if err := build(ctx, dir, update); err != nil {
			return err
		}
		return os.Rename(filepath.Join(dir, from), filepath.Join(dir, to))
	}
	return s
}

// pause is the stage that compiles Kubernetes' own pause program.
func pause(version string) stage {
	return stage{
		name: "pause",
		key:  key(version),
		what: "pause of Kubernetes " + version,
		build: func(ctx context.Context, dir string, _ func(string)) error {
			m, err := gobuild.Download(ctx, module.Version{Path: kubernetesModule, Version: "v" + version})
			if err != nil {
				return err
			}
			source := filepath.Join(m.Dir, "build", "pause", "linux", "pause.c")
			cmd := exec.CommandContext(ctx, "gcc", "-Os", "-static", "-s", "-DVERSION=v"+version,
				"-o", filepath.Join(dir, "pause"), source)
			if out, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("compile %s: %w: %s", source, err, out)
			}
			return nil
		},
	}
}
