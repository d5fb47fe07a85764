// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package nodeimage provides the image of a kind cluster's nodes. It uses an
// image of the engine, pulls one from the registry, or builds one from Go
// modules and Debian packages.
package nodeimage

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/internal/gocmd"
	"github.com/draconform/draconform/manifests"
)

// Repository is the repository of built images.
const Repository = "draconform/node"

// Source is the source of an image.
type Source string

// The sources in the order in which they are tried.
const (
	FromEngine   Source = "engine"
	FromRegistry Source = "registry"
	Built        Source = "built"
)

// Image is a node image of the engine.
type Image struct {
	Ref    string
	Source Source
}

// Options configure which image is used and how it is obtained.
type Options struct {
	// Engine is the engine that the image is loaded into. Required.
	Engine *engine.Engine
	// Release is the Kubernetes release of the nodes. Required.
	Release clusters.Release
	// CacheDir is the folder of finished artifacts. Default: [DefaultCacheDir].
	CacheDir string
	// Build forces a build: no image is pulled, and kind's image is not used
	// even if the engine has it.
	Build bool
	// Progress receives the progress. A nil reporter writes nothing.
	Progress *progress.Reporter
	// Compiled is called when the compilation for an image is finished. The
	// steps after it do not use all processors. It may be called more than
	// once, and is not called if nothing is compiled. It may be nil.
	Compiled func()
	// KeepCompiled keeps packages in the go command's cache that only this
	// image needs. It is for callers that build other programs from the same
	// version of Kubernetes, starting when Compiled is called.
	KeepCompiled bool
}

// Ensure ensures that the engine has the release's node image. It uses an
// existing image of the engine, kind's image from the registry, or a built
// image, in this order.
func Ensure(ctx context.Context, o Options) (Image, error) {
	b, err := newBuilder(o)
	if err != nil {
		return Image{}, err
	}
	if image, found, err := b.present(ctx, o); err != nil || found {
		return image, err
	}
	if !o.Build {
		kindImage := b.kindImage()
		task := o.Progress.Task("node image %s from the registry", kindImage)
		err := o.Engine.Pull(ctx, kindImage, updates(task))
		if err == nil {
			task.Done("")
			o.Progress.Drop(buildTasks...)
			return Image{Ref: kindImage, Source: FromRegistry}, nil
		}
		if ctx.Err() != nil {
			return Image{}, task.Fail(context.Cause(ctx))
		}
		task.Done("not available, building it: " + firstLine(err.Error()))
	}
	return b.ensure(ctx, o)
}

// buildTasks are the tasks of a build of an image, by their names in
// [progress.Reporter.Expect]. Tasks that finish while others still compile are left
// out.
var buildTasks = []string{"kubernetes", "runtime", layersArtifact, "load"}

// Expected returns the tasks of Ensure if no registry has the image.
func Expected(ctx context.Context, o Options) ([]progress.ExpectedTask, error) {
	b, err := newBuilder(o)
	if err != nil {
		return nil, err
	}
	if _, found, err := b.present(ctx, o); err != nil || found {
		return nil, err
	}
	var tasks []progress.ExpectedTask
	for _, name := range buildTasks {
		tasks = append(tasks, progress.ExpectedTask{Name: name})
	}
	if _, found := b.cache.has(b.layersArtifact()); found {
		return tasks[len(tasks)-1:], nil
	}
	return tasks, nil
}

// Find returns the release's node image if the engine has one. It does not pull
// or build an image.
func Find(ctx context.Context, o Options) (image Image, found bool, err error) {
	b, err := newBuilder(o)
	if err != nil {
		return Image{}, false, err
	}
	return b.present(ctx, o)
}

// present returns the first suitable image that the engine has, in order of
// preference.
func (b *builder) present(ctx context.Context, o Options) (Image, bool, error) {
	refs := []string{b.kindImage(), b.ref()}
	if o.Build {
		refs = refs[1:]
	}
	for _, ref := range refs {
		found, err := o.Engine.HasImage(ctx, ref)
		if err != nil {
			return Image{}, false, err
		}
		if found {
			return Image{Ref: ref, Source: FromEngine}, true, nil
		}
	}
	return Image{}, false, nil
}

func newBuilder(o Options) (*builder, error) {
	in, err := readInputs()
	if err != nil {
		return nil, err
	}
	if o.CacheDir == "" {
		if o.CacheDir, err = DefaultCacheDir(); err != nil {
			return nil, err
		}
	}
	return &builder{inputs: in, release: o.Release, keepCompiled: o.KeepCompiled, cache: cache{o.CacheDir, o.Progress}}, nil
}

// ensure builds the image and loads it into the engine.
func (b *builder) ensure(ctx context.Context, o Options) (Image, error) {
	dir, err := b.build(ctx, o.Compiled)
	if err != nil {
		return Image{}, err
	}
	task := o.Progress.TaskOf("load", "load node image %s", b.ref())
	img, err := b.image(dir)
	if err != nil {
		return Image{}, task.Fail(err)
	}
	tag, err := name.NewTag(b.ref())
	if err != nil {
		return Image{}, task.Fail(err)
	}
	archive, w := io.Pipe()
	go func() { w.CloseWithError(tarball.Write(tag, img, w)) }()
	err = o.Engine.Load(ctx, archive)
	_ = archive.Close() // stops the writer if the engine stopped reading
	if err != nil {
		return Image{}, task.Fail(err)
	}
	task.Done("")
	return Image{Ref: b.ref(), Source: Built}, nil
}

// kindImage returns the reference of kind's own image of the release.
func (b *builder) kindImage() string { return "kindest/node:v" + b.release.Version }

// ref returns the reference of the built image, which contains its release and
// its key.
func (b *builder) ref() string {
	return fmt.Sprintf("%s:v%s-%s", Repository, b.release.Version, b.key())
}

// layoutVersion changes when this package builds a different image from the
// same inputs.
const layoutVersion = 2

func (b *builder) key() string {
	files := append(contents(sources, "."), contents(manifests.FS, "node")...)
	return key(layoutVersion, b.inputs, customize, b.release.Version, clusters.Newest().Version, gocmd.Flags, files, crictl)
}

// contents returns the embedded files below a folder, in the order of their
// paths.
func contents(embedded fs.FS, root string) []string {
	var files []string
	err := fs.WalkDir(embedded, root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(embedded, path)
		files = append(files, string(content))
		return err
	})
	if err != nil {
		panic(err) // embedded files always exist
	}
	return files
}

// updates returns a writer that shows the first line of each write as the
// activity of the task.
func updates(task *progress.Task) io.Writer {
	return writeFunc(func(p []byte) (int, error) {
		task.Update("%s", firstLine(string(p)))
		return len(p), nil
	})
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
