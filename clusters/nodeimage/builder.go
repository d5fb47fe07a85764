// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/internal/gobuild"
	"github.com/draconform/draconform/clusters/internal/modgraph"
	"github.com/draconform/draconform/clusters/internal/oci"
)

// Label is the label of every built image. Its value is the image's key.
const Label = "draconform.dev/node-image"

// builder builds the node image of one release.
type builder struct {
	inputs  inputs
	release clusters.Release
	cache   cache
	kindDir string // folder of kind's module
	// keepCompiled is Options.KeepCompiled.
	keepCompiled bool
}

// build returns the folder that holds the image's layers. compiled may be nil.
func (b *builder) build(ctx context.Context, compiled func()) (string, error) {
	layers := b.layersArtifact()
	if dir, found := b.cache.has(layers); found {
		return dir, nil
	}
	if err := b.prepare(ctx); err != nil {
		return "", err
	}
	unlock, err := b.cache.lockBuilds(ctx)
	if err != nil {
		return "", err
	}
	defer unlock()
	kubernetesDir, err := gobuild.Download(ctx, modgraph.Module(b.release.Version))
	if err != nil {
		return "", err
	}
	images, err := readKubeadmImages(kubernetesDir)
	if err != nil {
		return "", err
	}
	compile, others, err := b.artifacts(kubernetesDir, images)
	if err != nil {
		return "", err
	}
	built, err := b.cache.all(ctx, compile, others)
	if err != nil {
		return "", err
	}
	if compiled != nil {
		compiled()
	}
	if !b.keepCompiled {
		defer b.discardPackages(ctx, built["kubernetes"])()
	}
	layers.build = func(ctx context.Context, dir string, update func(string, ...any)) error {
		return b.layers(ctx, dir, built, images, update)
	}
	return b.cache.get(ctx, layers)
}

func (b *builder) layersArtifact() artifact {
	return artifact{name: layersArtifact, key: b.key(), what: "layers of the node image"}
}

// prepare checks and installs the requirements of a build on this machine and
// downloads kind's files.
func (b *builder) prepare(ctx context.Context) error {
	tools, err := findTools(ctx)
	if err != nil {
		return err
	}
	if err := b.checkDisks(ctx); err != nil {
		return err
	}
	if err := tools.install(ctx, b.cache.reporter); err != nil {
		return err
	}
	b.kindDir, err = gobuild.Download(ctx, b.inputs.module("sigs.k8s.io/kind"))
	return err
}

// discardedMarker is the name of a file in the folder of a program whose packages
// have been discarded.
const discardedMarker = "tidied"

// discardPackages removes compiled packages that only the finished program needs,
// once. The returned function waits for the removal. A failure does not affect the
// image.
func (b *builder) discardPackages(ctx context.Context, dir string) (wait func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		marker := filepath.Join(dir, discardedMarker)
		if exists(marker) {
			return
		}
		freed, err := discard(ctx, dir)
		if err == nil {
			err = os.WriteFile(marker, nil, 0o644)
		}
		switch {
		case err != nil && ctx.Err() == nil:
			b.cache.reporter.Printf("   compiled packages that are not needed again stay in the go command's cache: %s", firstLine(err.Error()))
		case freed > 0:
			b.cache.reporter.Printf("   %.1f GiB of compiled packages removed from the go command's cache, which only this image needs", float64(freed)/(1<<30))
		}
	}()
	return func() { <-done }
}

// artifacts returns the artifacts that the layers are made of. compile are those
// that are compiled on all processors, Kubernetes first. others are the remaining
// ones.
func (b *builder) artifacts(kubernetesDir string, images kubeadmImages) (compile, others []artifact, err error) {
	commands, err := kubernetes(b.release.Version, kubernetesDir)
	if err != nil {
		return nil, nil, err
	}
	runtime, err := b.inputs.runtime()
	if err != nil {
		return nil, nil, err
	}
	return []artifact{commands, etcd(b.release.Version, "", images), runtime}, []artifact{pause(b.release.Version), b.inputs.Debian.base()}, nil
}

// layers writes the layers above the base filesystem: the node's files, and the
// content store with the images of the components.
func (b *builder) layers(ctx context.Context, dir string, built map[string]string, images kubeadmImages, update func(string, ...any)) error {
	update("component images")
	base, err := readFilesystem(filepath.Join(built["base"], baseTar))
	if err != nil {
		return err
	}
	tools, err := base.netToolFiles()
	if err != nil {
		return err
	}
	toolLayer, err := oci.ZstdLayer(tools.write)
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp(dir, "images-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	archive, store := filepath.Join(temp, "images.tar"), filepath.Join(temp, "store")
	if err := oci.WriteArchive(archive, b.componentImages(built, images, toolLayer)); err != nil {
		return err
	}
	if err := importImages(ctx, built["runtime"], archive, store); err != nil {
		return err
	}
	if err := oci.TarFolder(filepath.Join(dir, "store.tar"), store, "/var/lib/containerd"); err != nil {
		return err
	}
	update("files of the node")
	entries, err := b.rootfs(ctx, built)
	if err != nil {
		return err
	}
	if err := oci.TarEntries(filepath.Join(dir, "node.tar"), entries); err != nil {
		return err
	}
	// A hard link makes the folder complete without a copy.
	return os.Link(filepath.Join(built["base"], baseTar), filepath.Join(dir, baseTar))
}

// componentImages returns the images that a node contains. The images of
// Kubernetes' components and of etcd share the layer of their common program.
// kube-proxy and podroutes use the node's network tools.
func (b *builder) componentImages(built map[string]string, images kubeadmImages, tools v1.Layer) []oci.Command {
	var paths []string
	for _, name := range componentCommands {
		paths = append(paths, "/usr/local/bin/"+name)
	}
	var list []oci.Command
	for i, name := range componentCommands {
		c := oci.Command{
			Ref: "registry.k8s.io/" + name + ":v" + b.release.Version, Binary: filepath.Join(built["kubernetes"], program), Path: paths[i], Paths: paths,
		}
		if name == "kube-proxy" {
			c.Base = []v1.Layer{tools}
		}
		list = append(list, c)
	}
	return append(list,
		oci.Command{Ref: "registry.k8s.io/etcd:" + images.etcd, Binary: filepath.Join(built["etcd"], etcdBinary), Path: "/usr/local/bin/etcd"},
		oci.Command{Ref: "registry.k8s.io/coredns/coredns:" + images.coreDNS, Binary: filepath.Join(built["runtime"], "coredns"), Path: "/coredns"},
		oci.Command{Ref: b.inputs.SandboxImage, Binary: filepath.Join(built["pause"], "pause"), Path: "/pause"},
		oci.Command{Ref: podroutesImage, Binary: filepath.Join(built["runtime"], "podroutes"), Path: "/usr/local/bin/podroutes", Base: []v1.Layer{tools}},
	)
}

// podroutesImage is the image in the manifest of the default network.
const podroutesImage = "draconform.dev/podroutes:node"

// image returns the image composed of the layers.
func (b *builder) image(dir string) (v1.Image, error) {
	var layers []v1.Layer
	for _, name := range []string{baseTar, "node.tar", "store.tar"} {
		layer, err := oci.FileLayer(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		layers = append(layers, layer)
	}
	return oci.WithConfig(empty.Image, layers, v1.Config{
		Entrypoint: []string{"/usr/local/bin/entrypoint", "/sbin/init"},
		// systemd detects a container by this variable. It only stops on this
		// signal.
		Env:        []string{"container=docker", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
		StopSignal: "SIGRTMIN+3",
		Labels:     map[string]string{Label: b.key(), "org.opencontainers.image.version": "v" + b.release.Version},
	})
}

// supported returns an error if node images cannot be built on this platform.
func supported() error {
	if runtime.GOOS != "linux" {
		return fmt.Errorf("node images can be built on Linux only, not on %s: use an engine that reaches a registry", runtime.GOOS)
	}
	return nil
}
