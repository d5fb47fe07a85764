// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package images

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
)

// WriteProgram builds the command of an image for this machine and writes it to a
// file. It builds from the same source as [WriteArchive], and uses the same finished
// binaries where possible.
func WriteProgram(ctx context.Context, path string, update func(string, ...any), image Image) error {
	temp, err := os.MkdirTemp(filepath.Dir(path), "program-")
	if err != nil {
		return fmt.Errorf("build program %s: %w", image.Binary(), err)
	}
	defer func() { _ = os.RemoveAll(temp) }()
	out, unlock, err := binaries(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	b := builtOf(image, runtime.GOARCH)
	dir := b.dir(out)
	if runtime.GOOS != "linux" {
		dir = filepath.Join(dir, runtime.GOOS)
	}
	build, err := b.build(ctx, filepath.Join(temp, "module"), dir, []Image{image})
	if err != nil {
		return err
	}
	build.GOOS = runtime.GOOS
	if err := build.Run(ctx, update); err != nil {
		return err
	}
	return copyProgram(filepath.Join(dir, image.Binary()), path)
}

// copyProgram copies a binary: the next build may write to the same file.
func copyProgram(from, to string) (err error) {
	source, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("copy program: %w", err)
	}
	defer func() { _ = source.Close() }()
	target, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o755)
	if err != nil {
		return fmt.Errorf("copy program: %w", err)
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Close())
}
