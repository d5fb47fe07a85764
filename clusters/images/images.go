// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package images builds the suite's own images: the fake driver, the workload,
// the node agent, the scheduler and draconform itself. It only needs the Go
// toolchain.
package images

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/draconform/draconform/clusters/internal/gobuild"
	"github.com/draconform/draconform/clusters/internal/oci"
	"github.com/draconform/draconform/clusters/internal/self"
	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/internal/filelock"
	"github.com/draconform/draconform/internal/version"
)

// Image is an image of the suite.
type Image struct {
	// Ref is the image reference that manifests and pods use.
	Ref string
	// Module is the folder of the nested module that contains the command. It
	// is empty for the main module.
	Module string
	// Package is the import path of the command, relative to the main module, or
	// that of a command of Kubernetes if the field Kubernetes is set.
	Package string
	// Kubernetes is a version of Kubernetes, such as 1.34.4. The command is then
	// built with Kubernetes and its dependencies in this version, and shares
	// compiled packages with the node image of the release. A command in a
	// checkout must be a single package without imports of its own module. It is
	// empty for commands that are built with the versions of their module.
	Kubernetes string
	// Stamp is the version that the Kubernetes packages in the command report.
	// It is empty if the command has none.
	Stamp string
	// Tags are the build tags of the command.
	Tags []string
	// Env are the environment variables of the command, each as "name=value".
	Env []string
	// User is the user and group of the command as "uid:gid". It is empty for
	// root. The kubelet checks runAsNonRoot against numeric users only.
	User string
}

// Binary returns the name of the image's command. The command is at the root of
// the image.
func (i Image) Binary() string { return filepath.Base(i.Package) }

// Architectures returns the architectures of the image, as in the node label
// kubernetes.io/arch. [WriteArchive] builds images for the architecture of the
// machine only, and [WriteArchiveFor] for others.
func (i Image) Architectures() []string { return []string{runtime.GOARCH} }

// The suite's images.
var (
	Fakedriver = Image{Ref: "draconform.dev/fakedriver:dev", Package: "fakedriver/cmd/fakedriver"}
	Workload   = Image{Ref: "draconform.dev/workload:dev", Package: "e2e/workload"}
	NodeAgent  = Image{Ref: "draconform.dev/nodeagent:dev", Package: "e2e/nodeagent"}
	Scheduler  = Image{
		Ref: "draconform.dev/scheduler:" + skew.SchedulerVersion, Stamp: skew.SchedulerVersion,
		Module: "allocator/scheduler", Package: "allocator/scheduler/cmd/draconform-scheduler",
	}
	// Classic is the fake driver of classic DRA for Kubernetes 1.31, for kind clusters
	// and as a program next to control planes. It is not among the images of releases.
	Classic = Image{Ref: "draconform.dev/classic:dev", Module: "fakedriver/classic", Package: "fakedriver/classic"}
	// ClassicEarlier is that driver for Kubernetes 1.30.
	ClassicEarlier = Image{Ref: "draconform.dev/classic-v1alpha2:dev", Module: "fakedriver/classic/v1alpha2", Package: "fakedriver/classic/v1alpha2/cmd/classic-v1alpha2"}
	// Draconform runs the suite in a pod. It contains the static binary only:
	// specs, manifests and driver files of the fakes are embedded, the API
	// server's CA comes with the service account, and no program is started
	// but the binary itself.
	Draconform = Image{Ref: "draconform.dev/draconform:dev", Package: "e2e/cmd/draconform", User: NonRoot}
)

// NonRoot is a user and group without a meaning on nodes.
const NonRoot = "65532:65532"

// CheckSource returns an error if the source of images is not available: see
// [WriteArchive].
func CheckSource(ctx context.Context, images ...Image) error {
	checked := map[string]bool{}
	for _, image := range images {
		if checked[image.Module] {
			continue
		}
		checked[image.Module] = true
		if _, err := self.Source(ctx, image.Module, ""); err != nil {
			return err
		}
	}
	return nil
}

// WriteArchive builds images from the project's source and writes them as one
// archive for Provider.LoadImageArchive. The source is the checkout that
// contains the working folder. Outside of a checkout it is the released version
// that this program was built from. Images of nested modules need a checkout.
//
// Binaries are kept in the user's cache folder. The go command does not relink
// binaries that are up to date: linking is most of the work.
func WriteArchive(ctx context.Context, archive string, update func(string, ...any), images ...Image) error {
	return WriteArchiveFor(ctx, archive, []string{runtime.GOARCH}, update, images...)
}

// WriteArchiveFor is WriteArchive for nodes of several architectures. With more
// than one, each image is an index.
func WriteArchiveFor(ctx context.Context, archive string, architectures []string, update func(string, ...any), images ...Image) error {
	temp, err := os.MkdirTemp(filepath.Dir(archive), "images-")
	if err != nil {
		return fmt.Errorf("build images: %w", err)
	}
	defer func() { _ = os.RemoveAll(temp) }()
	out, unlock, err := binaries(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	var commands []oci.Command
	together := map[built][]Image{}
	for _, image := range images {
		for _, arch := range architectures {
			b := builtOf(image, arch)
			together[b] = append(together[b], image)
			commands = append(commands, oci.Command{
				Ref: image.Ref, Binary: filepath.Join(b.dir(out), image.Binary()), Path: "/" + image.Binary(), Env: image.Env, User: image.User, Arch: arch,
			})
		}
	}
	for _, b := range slices.SortedFunc(maps.Keys(together), built.compare) {
		build, err := b.build(ctx, filepath.Join(temp, "module"), b.dir(out), together[b])
		if err != nil {
			return err
		}
		if err := build.Run(ctx, update); err != nil {
			return err
		}
	}
	return oci.WriteArchive(archive, commands)
}

// built identifies commands that are built together: they have the same module,
// the same version of Kubernetes, the same build tags and the same architecture.
// The binaries of each version, set of tags and architecture have a folder of
// their own.
type built struct {
	module, kubernetes, tags string
	arch                     string // empty for that of this machine
}

// builtOf returns how the command of an image is built for an architecture.
func builtOf(image Image, arch string) built {
	if arch == runtime.GOARCH {
		arch = ""
	}
	return built{image.Module, image.Kubernetes, strings.Join(image.Tags, ","), arch}
}

func (b built) compare(other built) int {
	return cmp.Or(cmp.Compare(b.module, other.module), cmp.Compare(b.kubernetes, other.kubernetes), cmp.Compare(b.tags, other.tags), cmp.Compare(b.arch, other.arch))
}

// dir returns the folder of the binaries for nodes.
func (b built) dir(out string) string { return filepath.Join(out, b.arch, b.kubernetes, b.tags) }

// build returns the build of the commands of images.
func (b built) build(ctx context.Context, temp, out string, images []Image) (gobuild.Build, error) {
	if b.kubernetes != "" {
		build, err := withKubernetes(ctx, b.kubernetes, out, images)
		build.GOARCH = b.arch
		return build, err
	}
	build, err := self.Source(ctx, b.module, temp)
	if err != nil {
		return gobuild.Build{}, err
	}
	build.Out, build.GOARCH = out, b.arch
	// A released draconform in an image uses the images of its release.
	if release := version.Release(); release != "" && b.module == "" {
		build.LDFlags = "-X " + version.Stamp + "=" + release
	}
	for _, image := range images {
		build.Tags = image.Tags
		if command := self.ModulePath + "/" + image.Package; !slices.Contains(build.Commands, command) {
			build.Commands = append(build.Commands, command)
		}
		if image.Stamp != "" {
			build.LDFlags = "-X k8s.io/component-base/version.gitVersion=" + image.Stamp
		}
	}
	return build, nil
}

// binaries returns the folder of finished binaries. The folder is locked
// against other processes until the caller calls unlock.
func binaries(ctx context.Context) (dir string, unlock func(), err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", nil, fmt.Errorf("build images: find the user's cache folder: %w", err)
	}
	dir = filepath.Join(cache, "draconform", "images")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", nil, fmt.Errorf("build images: %w", err)
	}
	unlock, err = filelock.Lock(ctx, filepath.Join(dir, ".lock"), 500*time.Millisecond)
	if err != nil {
		return "", nil, fmt.Errorf("build images: %w", err)
	}
	return dir, unlock, nil
}
