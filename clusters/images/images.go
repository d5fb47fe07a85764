// Package images builds the suite's own images, the fake driver's and the
// workload's, with the Go toolchain alone.
package images

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"github.com/draconform/draconform/clusters/internal/gobuild"
	"github.com/draconform/draconform/clusters/internal/oci"
)

// modulePath is this module's.
const modulePath = "github.com/draconform/draconform"

// Image is an image of the suite.
type Image struct {
	// Ref is what manifests and pods name.
	Ref string
	// Package is the import path of its command, below the module's.
	Package string
}

// The suite's images.
var (
	Fakedriver = Image{Ref: "draconform.dev/fakedriver:dev", Package: "fakedriver/cmd/fakedriver"}
	Workload   = Image{Ref: "draconform.dev/workload:dev", Package: "e2e/workload"}
)

// WriteArchive builds images from the module's source and writes them as one
// archive for Provider.LoadImageArchive. The source is that of the
// checkout that the working folder belongs to, else the released version that
// this program was built from.
func WriteArchive(ctx context.Context, archive string, update func(string), images ...Image) error {
	temp, err := os.MkdirTemp(filepath.Dir(archive), "images-")
	if err != nil {
		return fmt.Errorf("build images: %w", err)
	}
	defer func() { _ = os.RemoveAll(temp) }()
	build, err := source(ctx, temp)
	if err != nil {
		return err
	}
	var commands []oci.Command
	build.Out = filepath.Join(temp, "bin")
	for _, image := range images {
		name := filepath.Base(image.Package)
		build.Commands = append(build.Commands, modulePath+"/"+image.Package)
		commands = append(commands, oci.Command{Ref: image.Ref, Binary: filepath.Join(build.Out, name), Path: "/" + name})
	}
	if err := build.Run(ctx, update); err != nil {
		return err
	}
	return oci.WriteArchive(archive, commands)
}

// source is where the commands are built: in the checkout, or in a throw-away
// module that requires a released version.
func source(ctx context.Context, temp string) (gobuild.Build, error) {
	checkout, err := findCheckout(ctx)
	if err != nil {
		return gobuild.Build{}, err
	}
	if checkout != "" {
		return gobuild.Build{Dir: checkout, Checkout: true}, nil
	}
	var version string
	if info, ok := debug.ReadBuildInfo(); ok {
		version = releasedVersion(info)
	}
	if version == "" {
		return gobuild.Build{}, errors.New("the suite's images are built from its source: run inside a checkout of " + modulePath + ", or install a released version with \"go install\"")
	}
	return gobuild.Build{
		Dir:     filepath.Join(temp, "module"),
		Require: []module.Version{{Path: modulePath, Version: version}},
	}, nil
}

// findCheckout is the root of the checkout of this module that the working
// folder is in, or empty.
func findCheckout(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("building the suite's images needs the Go toolchain: %w", err)
	}
	if err != nil {
		return "", errors.Join(ctx.Err(), fmt.Errorf("look for a checkout: %w", err))
	}
	// Outside of any module this is the null device, or nothing.
	goMod := strings.TrimSpace(string(out))
	content, err := os.ReadFile(goMod)
	if err != nil || modfile.ModulePath(content) != modulePath {
		return "", nil //nolint:nilerr // Without a go.mod this is no checkout.
	}
	return filepath.Dir(goMod), nil
}

// releasedVersion is the version of this module that a program was built from,
// or empty if that was a checkout.
func releasedVersion(info *debug.BuildInfo) string {
	for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) {
		// The go command gives a checkout a version too, after its last commit,
		// but no checksum.
		if m.Path == modulePath && m.Sum != "" && m.Replace == nil {
			return m.Version
		}
	}
	return ""
}
