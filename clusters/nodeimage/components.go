// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/draconform/draconform/clusters/engine"
)

// Components are the components of Kubernetes in a node image. They are used to
// change the release of a running cluster.
type Components struct{ dir string }

// Kubelet returns the path of the kubelet.
func (c Components) Kubelet() string { return filepath.Join(c.dir, "kubelet") }

// Archive returns the path of the image archive of a component: kube-apiserver,
// kube-controller-manager, kube-scheduler or kube-proxy.
func (c Components) Archive(component string) string { return filepath.Join(c.dir, component+".tar") }

// exportComponents is a script that runs in a container of a node image. It works
// with images of any source: the image's own containerd, without plugins that
// need privileges, exports images from the content store. The first argument is
// the tag, the others are components.
const exportComponents = `set -e
mkdir /parts
printf '%s' "$CONFIG" >/parts.toml
containerd --config /parts.toml >/parts.log 2>&1 &
tries=0
until ctr version >/dev/null 2>&1; do
  tries=$((tries + 1))
  if [ $tries -gt 300 ]; then tail -n 3 /parts.log >&2; exit 1; fi
  sleep 0.1
done
tag=$1; shift
for name; do
  ctr --namespace k8s.io images export --local /parts/$name.tar registry.k8s.io/$name:$tag
done
ln /usr/bin/kubelet /parts/kubelet
`

// exportTimeout bounds the extraction of the components, which takes seconds.
const exportTimeout = 5 * time.Minute

// GetComponents ensures that the engine has the release's node image, as Ensure
// does. It extracts the components into the user's cache folder, unless they are
// already there. The container that it uses has the run's label.
func GetComponents(ctx context.Context, o Options, run string) (Components, error) {
	image, err := Ensure(ctx, o)
	if err != nil {
		return Components{}, err
	}
	id, err := o.Engine.Output(ctx, "image", "inspect", "--format", "{{.Id}}", image.Ref)
	if err != nil {
		return Components{}, fmt.Errorf("identify node image %s: %w", image.Ref, err)
	}
	b, err := newBuilder(o)
	if err != nil {
		return Components{}, err
	}
	components := artifact{
		name: "parts",
		key:  key(id, exportComponents, importConfig, componentCommands),
		what: "components of node image " + image.Ref,
		build: func(ctx context.Context, dir string, _ func(string, ...any)) error {
			return extractComponents(ctx, o.Engine, image.Ref, "v"+o.Release.Version, run, dir)
		},
	}
	if dir, found := b.cache.has(components); found {
		return Components{dir}, nil
	}
	unlock, err := b.cache.lockBuilds(ctx)
	if err != nil {
		return Components{}, err
	}
	defer unlock()
	dir, err := b.cache.get(ctx, components)
	return Components{dir}, err
}

func extractComponents(ctx context.Context, e *engine.Engine, image, tag, run, dir string) (err error) {
	ctx, cancel := context.WithTimeout(ctx, exportTimeout)
	defer cancel()
	container, err := e.Output(ctx, append([]string{
		"create", "--pull=never", "--network=none", "--label", engine.RunLabel + "=" + run, "--env", "CONFIG=" + importConfig,
		"--entrypoint", "sh", image, "-c", exportComponents, "sh", tag,
	}, componentCommands...)...)
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		_, removeErr := e.Output(ctx, "rm", "--force", "--volumes", container)
		err = errors.Join(err, removeErr)
	}()
	if _, err := e.Output(ctx, "start", "--attach", container); err != nil {
		return err
	}
	_, err = e.Output(ctx, "cp", strings.TrimSpace(container)+":/parts/.", dir)
	return err
}
