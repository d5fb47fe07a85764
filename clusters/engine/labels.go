package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// RunLabel is the label that every container and image of a run carries. Its
// value is the run's ID.
const RunLabel = "draconform.dev/run"

// Object is a container or an image that carries a label.
type Object struct {
	ID    string // full
	Name  string // of a container; of an image its first reference, "" if it has none
	Value string // of the label
}

// Objects are the containers and images that carry a label.
type Objects struct {
	Containers []Object
	Images     []Object
}

// WithValue returns those objects whose label has this value.
func (o Objects) WithValue(value string) Objects {
	other := func(o Object) bool { return o.Value != value }
	return Objects{
		Containers: slices.DeleteFunc(slices.Clone(o.Containers), other),
		Images:     slices.DeleteFunc(slices.Clone(o.Images), other),
	}
}

// Labelled lists all containers, running or not, and all images that carry the
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

// labelled lists the objects of one type. The list only has the IDs: Docker's
// and Podman's columns differ, while what they say about a single object
// agrees.
func (e *Engine) labelled(ctx context.Context, label string, list []string, objectType, name string) ([]Object, error) {
	out, err := e.Output(ctx, append(list, "--filter", "label="+label)...)
	if err != nil {
		return nil, err
	}
	// An image is listed once for each reference.
	ids := strings.Fields(out)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(ids) == 0 {
		return nil, nil
	}
	format := fmt.Sprintf("{{.Id}}\t{{index .Config.Labels %q}}\t%s", label, name)
	out, err = e.Output(ctx, append([]string{objectType, "inspect", "--format", format}, ids...)...)
	// What went away since it was listed is not printed, and the rest is.
	if err != nil && !isAbsent(err) {
		return nil, err
	}
	var objects []Object
	for line := range strings.Lines(out) {
		fields := strings.SplitN(strings.TrimRight(line, "\r\n"), "\t", 3)
		if len(fields) != 3 {
			continue
		}
		// A container's name begins with a slash in Docker; an image may have
		// several references.
		first, _, _ := strings.Cut(strings.TrimPrefix(fields[2], "/"), " ")
		objects = append(objects, Object{ID: fields[0], Value: fields[1], Name: first})
	}
	return objects, nil
}

// Remove removes the containers with their anonymous volumes, then the images
// with all their references. What is gone already is fine. An object without a
// value of its label is refused: it is not of any run.
func (e *Engine) Remove(ctx context.Context, objects Objects) error {
	for _, o := range slices.Concat(objects.Containers, objects.Images) {
		if o.Value == "" {
			return fmt.Errorf("engine: remove %s %s: it carries no label", o.ID, o.Name)
		}
	}
	images := []string{"image", "rm", "--force"}
	if e.name == docker {
		// The image that a labelled one derives from is not ours, even if it
		// has lost its last reference meanwhile.
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
