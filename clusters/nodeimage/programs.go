// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/draconform/draconform/clusters/internal/gobuild"
	"github.com/draconform/draconform/clusters/internal/modgraph"
	"github.com/draconform/draconform/internal/gocmd"
)

// controlPlaneCommands are the commands of Kubernetes that [Programs] has.
var controlPlaneCommands = []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler"}

// Programs returns a folder with the commands of a release's control plane for this
// machine: etcd, kube-apiserver, kube-controller-manager and kube-scheduler. If the
// user's cache folder does not have them, they are taken from the parts of the
// release's node image that are finished, or built. Options.Engine is not used.
func Programs(ctx context.Context, o Options) (string, error) {
	c, programs, err := programsOf(o)
	if err != nil {
		return "", err
	}
	return c.get(ctx, programs)
}

// ProgramsExist reports whether [Programs] builds nothing.
func ProgramsExist(o Options) (bool, error) {
	c, programs, err := programsOf(o)
	if err != nil {
		return false, err
	}
	_, found := c.has(programs)
	return found, nil
}

// ProgramsAtHand reports whether [Programs] neither builds nor downloads anything: it
// has the programs already, or takes them from finished parts of the node image.
func ProgramsAtHand(ctx context.Context, o Options) (bool, error) {
	exist, err := ProgramsExist(o)
	if exist || err != nil {
		return exist, err
	}
	b, err := newBuilder(o)
	if err != nil {
		return false, err
	}
	dir := gobuild.Downloaded(ctx, modgraph.Module(b.release.Version))
	if dir == "" {
		return false, nil
	}
	parts, err := b.partsOfPrograms(dir)
	if err != nil {
		return false, err
	}
	return !slices.ContainsFunc(parts, func(part artifact) bool {
		_, finished := b.cache.has(part)
		return !finished
	}), nil
}

// programsOf returns the artifact of [Programs] and its cache, which is
// draconform/control-plane in the user's cache folder by default.
func programsOf(o Options) (cache, artifact, error) {
	b, err := newBuilder(o)
	if err != nil {
		return cache{}, artifact{}, err
	}
	dir := o.CacheDir
	if dir == "" {
		parent, err := os.UserCacheDir()
		if err != nil {
			return cache{}, artifact{}, fmt.Errorf("find the user's cache folder: %w", err)
		}
		dir = filepath.Join(parent, "draconform", "control-plane")
	}
	programs, err := b.programs()
	return cache{dir, o.Progress}, programs, err
}

// programs is the artifact with the commands of the control plane. Its key does not
// depend on files of Kubernetes' module, so that a finished artifact is found without
// the go command: the files of a version never change.
func (b *builder) programs() (artifact, error) {
	main, err := sources.ReadFile("files/kubernetes.go.txt")
	if err != nil {
		return artifact{}, err
	}
	return artifact{
		name: "programs",
		key:  key(layoutVersion, runtime.GOOS, b.release.Version, gocmd.Flags, controlPlaneCommands, string(main)),
		what: "control plane of Kubernetes " + b.release.Version,
		build: func(ctx context.Context, dir string, _ func(string, ...any)) error {
			return b.buildPrograms(ctx, dir)
		},
	}, nil
}

// buildPrograms builds the commands, or copies those of the node image.
func (b *builder) buildPrograms(ctx context.Context, dir string) error {
	if _, err := exec.LookPath("go"); err != nil {
		return fmt.Errorf("building a control plane needs the Go toolchain: %w: install it, see https://go.dev/doc/install", err)
	}
	unlock, err := b.cache.lockBuilds(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	kubernetesDir, err := gobuild.Download(ctx, modgraph.Module(b.release.Version))
	if err != nil {
		return err
	}
	parts, err := b.partsOfPrograms(kubernetesDir)
	if err != nil {
		return err
	}
	built, err := b.cache.all(ctx, parts)
	if err != nil {
		return err
	}
	if err := copyFile(filepath.Join(built[parts[0].name], program), filepath.Join(dir, program)); err != nil {
		return err
	}
	for _, name := range controlPlaneCommands {
		if err := os.Symlink(program, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return copyFile(filepath.Join(built["etcd"], etcdBinary), filepath.Join(dir, "etcd"))
}

// controlPlane is the artifact with the commands of the control plane as one program.
// It is that of the node image if that is finished: it has more commands.
func (b *builder) controlPlane(kubernetesDir string) (artifact, error) {
	if otherThanNodes() == "" {
		whole, err := kubernetes(b.release.Version, kubernetesDir)
		if err != nil {
			return artifact{}, err
		}
		if _, found := b.cache.has(whole); found {
			return whole, nil
		}
	}
	return kubernetesCommands("kubernetes", b.release.Version, kubernetesDir, otherThanNodes(), controlPlaneCommands)
}

// partsOfPrograms returns the artifacts with the commands of Kubernetes and with etcd.
// dir is the folder of the release's module.
func (b *builder) partsOfPrograms(dir string) ([]artifact, error) {
	images, err := readKubeadmImages(dir)
	if err != nil {
		return nil, err
	}
	commands, err := b.controlPlane(dir)
	if err != nil {
		return nil, err
	}
	return []artifact{commands, etcd(b.release.Version, otherThanNodes(), images)}, nil
}

// otherThanNodes returns the operating system of this machine. It is empty if it is
// that of nodes.
func otherThanNodes() string {
	if runtime.GOOS == "linux" {
		return ""
	}
	return runtime.GOOS
}

// copyFile copies a binary, by a hard link if possible.
func copyFile(from, to string) (err error) {
	if os.Link(from, to) == nil {
		return nil
	}
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	target, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Close())
}
