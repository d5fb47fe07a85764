// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"io"
	"strings"
)

// HasImage reports whether the engine has the image with this reference or ID.
func (e *Engine) HasImage(ctx context.Context, ref string) (bool, error) {
	_, err := e.Output(ctx, "image", "inspect", "--format", "{{.Id}}", ref)
	if isAbsent(err) {
		return false, nil
	}
	return err == nil, err
}

// Pull pulls an image from its registry. The client writes its progress to
// progress, unless that is nil. The error contains the reason: no registry
// responded, or the registry does not have the image.
func (e *Engine) Pull(ctx context.Context, ref string, progress io.Writer) error {
	if e.name == podman {
		ref = qualified(ref)
	}
	return e.run(ctx, nil, progress, "pull", ref)
}

// qualified adds Docker's registry to a reference without a registry. Docker
// does this by default, Podman only if its configuration says so.
func qualified(ref string) string {
	first, _, hasPath := strings.Cut(ref, "/")
	switch {
	case !hasPath:
		return "docker.io/library/" + ref
	case strings.ContainsAny(first, ".:") || first == "localhost":
		return ref
	}
	return "docker.io/" + ref
}

// Load adds the images of an archive in the format of docker save.
func (e *Engine) Load(ctx context.Context, archive io.Reader) error {
	return e.run(ctx, archive, nil, "load")
}

// Save writes images into a file, as an archive in the format of docker save. The
// file must not exist.
func (e *Engine) Save(ctx context.Context, path string, refs ...string) error {
	args := []string{"save", "--output", path}
	if e.name == podman {
		args = append(args, "--format", "docker-archive", "--multi-image-archive")
	}
	_, err := e.Output(ctx, append(args, refs...)...)
	return err
}

// Tag adds a reference to an image.
func (e *Engine) Tag(ctx context.Context, image, ref string) error {
	_, err := e.Output(ctx, "tag", image, ref)
	return err
}

// RemoveImages removes references, and the images that have no references left.
// References that do not exist are ignored.
func (e *Engine) RemoveImages(ctx context.Context, refs ...string) error {
	if len(refs) == 0 {
		return nil
	}
	_, err := e.Output(ctx, append([]string{"image", "rm"}, refs...)...)
	if isAbsent(err) {
		return nil
	}
	return err
}
