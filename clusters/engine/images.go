package engine

import (
	"context"
	"io"
	"strings"
)

// HasImage reports whether the engine has the image: a reference or an ID.
func (e *Engine) HasImage(ctx context.Context, ref string) (bool, error) {
	_, err := e.Output(ctx, "image", "inspect", "--format", "{{.Id}}", ref)
	if isAbsent(err) {
		return false, nil
	}
	return err == nil, err
}

// Pull fetches an image from its registry. The client's own lines about how far
// it is go to progress, unless that is nil. The error says why there is no
// image, be it that no registry answers or that it does not have the image.
func (e *Engine) Pull(ctx context.Context, ref string, progress io.Writer) error {
	if e.name == podman {
		ref = qualified(ref)
	}
	return e.run(ctx, nil, progress, "pull", ref)
}

// qualified adds Docker's registry to a reference that names none, as Docker
// does by itself and Podman only if its configuration says so.
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

// Load adds the images of an archive, as docker save writes them.
func (e *Engine) Load(ctx context.Context, archive io.Reader) error {
	return e.run(ctx, archive, nil, "load")
}

// Tag gives an image one more reference.
func (e *Engine) Tag(ctx context.Context, image, ref string) error {
	_, err := e.Output(ctx, "tag", image, ref)
	return err
}

// RemoveImages removes references, and each image that is left without one. A
// reference which does not exist is fine.
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
