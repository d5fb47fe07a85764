// Package images builds the suite's own images, the fake driver's and the
// workload's, with the Go toolchain alone.
package images

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/draconform/draconform/clusters/internal/oci"
	"github.com/draconform/draconform/clusters/internal/self"
)

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
	build, err := self.Source(ctx, filepath.Join(temp, "module"))
	if err != nil {
		return err
	}
	var commands []oci.Command
	build.Out = filepath.Join(temp, "bin")
	for _, image := range images {
		name := filepath.Base(image.Package)
		build.Commands = append(build.Commands, self.ModulePath+"/"+image.Package)
		commands = append(commands, oci.Command{Ref: image.Ref, Binary: filepath.Join(build.Out, name), Path: "/" + name})
	}
	if err := build.Run(ctx, update); err != nil {
		return err
	}
	return oci.WriteArchive(archive, commands)
}
