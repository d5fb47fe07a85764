// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// RunLabel is the label of every container and image of a run. Its value is the
// run's ID.
const RunLabel = "draconform.dev/run"

// Object is a container or an image with a label.
type Object struct {
	ID    string // full ID
	Name  string // name of a container; first reference of an image, "" if it has none
	Value string // value of the label
}

// Objects are the containers and images with a label.
type Objects struct {
	Containers []Object
	Images     []Object
}

// WithValue returns the objects whose label has this value.
func (o Objects) WithValue(value string) Objects {
	other := func(o Object) bool { return o.Value != value }
	return Objects{
		Containers: slices.DeleteFunc(slices.Clone(o.Containers), other),
		Images:     slices.DeleteFunc(slices.Clone(o.Images), other),
	}
}

// Labelled returns all containers, running or not, and all images that have the
// label with any value.
func (e *Engine) Labelled(ctx context.Context, label string) (Objects, error) {
	containers, err := e.labelled(ctx, label, []string{"ps", "--all", "--quiet", "--no-trunc"}, "container", "{{.Name}}")
	if err != nil {
		return Objects{}, err
	}
	images, err := e.labelled(ctx, label, []string{"image", "ls", "--quiet", "--no-trunc"}, "image", "{{range .RepoTags}}{{.}} {{end}}")
	if err != nil {
		return Objects{}, err
	}
	return Objects{Containers: containers, Images: images}, nil
}

// labelled lists the objects of one type. It lists only the IDs and inspects
// them: the columns of the lists of Docker and Podman differ, while the results
// of inspect are the same.
func (e *Engine) labelled(ctx context.Context, label string, list []string, objectType, name string) ([]Object, error) {
	out, err := e.Output(ctx, append(list, "--filter", "label="+label)...)
	if err != nil {
		return nil, err
	}
	// An image is listed once per reference.
	ids := strings.Fields(out)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(ids) == 0 {
		return nil, nil
	}
	format := fmt.Sprintf("{{.Id}}\t{{index .Config.Labels %q}}\t%s", label, name)
	out, err = e.Output(ctx, append([]string{objectType, "inspect", "--format", format}, ids...)...)
	// Objects that were removed since the list are not printed. All others are.
	if err != nil && !isAbsent(err) {
		return nil, err
	}
	var objects []Object
	for line := range strings.Lines(out) {
		fields := strings.SplitN(strings.TrimRight(line, "\r\n"), "\t", 3)
		if len(fields) != 3 {
			continue
		}
		// In Docker, a container's name begins with a slash. An image may have
		// several references.
		first, _, _ := strings.Cut(strings.TrimPrefix(fields[2], "/"), " ")
		objects = append(objects, Object{ID: fields[0], Value: fields[1], Name: first})
	}
	return objects, nil
}

// Remove removes the containers with their anonymous volumes, then the images
// with all their references. Objects that do not exist are ignored. If an
// object has no value of its label, Remove returns an error: the object belongs
// to no run.
func (e *Engine) Remove(ctx context.Context, objects Objects) error {
	for _, o := range slices.Concat(objects.Containers, objects.Images) {
		if o.Value == "" {
			return fmt.Errorf("engine: remove %s %s: it has no label", o.ID, o.Name)
		}
	}
	images := []string{"image", "rm", "--force"}
	if e.name == docker {
		// The parent of a labelled image belongs to the user, even if it has
		// lost its last reference meanwhile.
		images = append(images, "--no-prune")
	}
	return errors.Join(
		e.remove(ctx, objects.Containers, "rm", "--force", "--volumes"),
		e.remove(ctx, objects.Images, images...),
	)
}

func (e *Engine) remove(ctx context.Context, objects []Object, args ...string) error {
	if len(objects) == 0 {
		return nil
	}
	for _, o := range objects {
		args = append(args, o.ID)
	}
	_, err := e.Output(ctx, args...)
	if isAbsent(err) {
		return nil
	}
	return err
}
