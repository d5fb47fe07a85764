// Package nodeimage gets the image that a kind cluster's nodes run: from the
// engine, from the registry, or built from Go modules and Debian packages.
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
	"github.com/draconform/draconform/manifests"
)

// Repository is the name of the images that are built here.
const Repository = "draconform/node"

// Source says where an image came from.
type Source string

// The sources, in the order they are tried.
const (
	FromEngine   Source = "engine"
	FromRegistry Source = "registry"
	Built        Source = "built"
)

// Image is a node image that the engine holds.
type Image struct {
	Ref    string
	Source Source
}

// Options says which image to get and how.
type Options struct {
	// Engine receives the image. Required.
	Engine *engine.Engine
	// Release is the Kubernetes release of the nodes. Required.
	Release clusters.Release
	// CacheDir keeps finished stages of builds. Empty means
	// [DefaultCacheDir].
	CacheDir string
	// Build skips everything but building: a registry is not asked, and
	// kind's image is not used where it is at hand.
	Build bool
	// Progress is told what goes on; nil is silent.
	Progress *progress.Reporter
	// Compiled is called when all that has to be compiled for an image is: what
	// follows leaves processors idle. It may be called more than once, or not
	// at all where nothing is compiled. Nil is for none.
	Compiled func()
}

// Ensure makes sure that the engine holds the release's node image: an image
// that is there already, else kind's from the registry, else one built here.
func Ensure(ctx context.Context, o Options) (Image, error) {
	b, err := newBuilder(o)
	if err != nil {
		return Image{}, err
	}
	if image, found, err := b.atHand(ctx, o); err != nil || found {
		return image, err
	}
	if !o.Build {
		kindImage := b.kindImage()
		st := o.Progress.Stage("node image %s from the registry", kindImage)
		err := o.Engine.Pull(ctx, kindImage, updates(st))
		if err == nil {
			st.Done("")
			o.Progress.Drop(buildParts...)
			return Image{Ref: kindImage, Source: FromRegistry}, nil
		}
		if ctx.Err() != nil {
			return Image{}, st.Fail(context.Cause(ctx))
		}
		st.Done("not to be had, building it: " + firstLine(err.Error()))
	}
	return b.ensure(ctx, o)
}

// buildParts are the parts of building an image, by their names in
// [progress.Reporter.Expect], but for those that others leave time for.
var buildParts = []string{"kubernetes", "runtime", layersStage, "load"}

// Expected returns the parts of what Ensure will do, if no registry has the image.
func Expected(ctx context.Context, o Options) ([]progress.Part, error) {
	b, err := newBuilder(o)
	if err != nil {
		return nil, err
	}
	if _, found, err := b.atHand(ctx, o); err != nil || found {
		return nil, err
	}
	var parts []progress.Part
	for _, name := range buildParts {
		parts = append(parts, progress.Part{Name: name})
	}
	if _, found := b.cache.has(b.layersStage()); found {
		return parts[len(parts)-1:], nil
	}
	return parts, nil
}

// Find returns the release's node image if the engine holds one; nothing is
// fetched or built.
func Find(ctx context.Context, o Options) (image Image, found bool, err error) {
	b, err := newBuilder(o)
	if err != nil {
		return Image{}, false, err
	}
	return b.atHand(ctx, o)
}

// atHand looks for the images that would do, the preferred one first.
func (b *builder) atHand(ctx context.Context, o Options) (Image, bool, error) {
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
	return &builder{inputs: in, release: o.Release, cache: cache{o.CacheDir, o.Progress}}, nil
}

// ensure builds the image and loads it into the engine.
func (b *builder) ensure(ctx context.Context, o Options) (Image, error) {
	dir, err := b.build(ctx, o.Compiled)
	if err != nil {
		return Image{}, err
	}
	st := o.Progress.StageOf("load", "load node image %s", b.ref())
	img, err := b.image(dir)
	if err != nil {
		return Image{}, st.Fail(err)
	}
	tag, err := name.NewTag(b.ref())
	if err != nil {
		return Image{}, st.Fail(err)
	}
	archive, w := io.Pipe()
	go func() { w.CloseWithError(tarball.Write(tag, img, w)) }()
	err = o.Engine.Load(ctx, archive)
	_ = archive.Close() // ends the writer if the engine stopped reading
	if err != nil {
		return Image{}, st.Fail(err)
	}
	st.Done("")
	return Image{Ref: b.ref(), Source: Built}, nil
}

// kindImage is kind's own image of the release.
func (b *builder) kindImage() string { return "kindest/node:v" + b.release.Version }

// ref names the image by its release and by what it is built from.
func (b *builder) ref() string {
	return fmt.Sprintf("%s:v%s-%s", Repository, b.release.Version, b.key())
}

// layoutVersion changes when this package puts the same inputs together differently.
const layoutVersion = 1

func (b *builder) key() string {
	files := append(contents(sources, "."), contents(manifests.FS, "node")...)
	return key(layoutVersion, b.inputs, customize, b.release.Version, files, crictl)
}

// contents are the embedded files of a folder and of those below, in the order
// of their paths.
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
		panic(err) // what is embedded is there, or the program does not compile
	}
	return files
}

// updates shows each line that is written as what the stage is doing.
func updates(st *progress.Stage) io.Writer {
	return writerFunc(func(p []byte) { st.Update("%s", firstLine(string(p))) })
}

type writerFunc func([]byte)

func (f writerFunc) Write(p []byte) (int, error) {
	f(p)
	return len(p), nil
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
