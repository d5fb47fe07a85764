// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package change

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/clusters/nodeimage"
	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/clusters/skew"
)

// need is a component of a release that must be on a node before a step.
type need struct {
	release   clusters.Release
	component skew.Component
}

// provide copies the components that the steps need and the nodes do not have to the nodes. Only this depends on
// resources outside of the cluster, and it does not change anything that runs.
func (c *cluster) provide(ctx context.Context, steps []skew.Step, reporter *progress.Reporter) error {
	missing, err := c.missing(ctx, steps)
	if err != nil {
		return err
	}
	components, err := c.components(ctx, missing, reporter)
	if err != nil {
		return &skew.Unprovided{Err: err}
	}
	if len(missing) > 0 {
		task := reporter.Task("components into %d nodes", len(missing))
		if err := c.copyMissing(ctx, missing, components); err != nil {
			return task.Fail(err)
		}
		task.Done("")
	}
	if needed, err := c.needsScheduler(ctx, steps); err != nil || !needed {
		return err
	}
	if err := c.provideScheduler(ctx, reporter); err != nil {
		return &skew.Unprovided{Err: err}
	}
	return nil
}

// components returns the components of the releases of all missing ones.
func (c *cluster) components(ctx context.Context, missing map[string][]need, reporter *progress.Reporter) (map[clusters.Release]nodeimage.Components, error) {
	components := map[clusters.Release]nodeimage.Components{}
	for _, needs := range missing {
		for _, n := range needs {
			if _, ok := components[n.release]; ok {
				continue
			}
			var err error
			components[n.release], err = nodeimage.GetComponents(ctx, nodeimage.Options{Engine: c.engine, Release: n.release, Progress: reporter}, c.provider.Run())
			if err != nil {
				return nil, fmt.Errorf("get the components of Kubernetes %s: %w%s", n.release.Version, err, c.supportedWays(ctx, n.release))
			}
		}
	}
	return components, nil
}

// supportedWays returns a hint about available releases for the error about a release that is not available.
func (c *cluster) supportedWays(ctx context.Context, r clusters.Release) string {
	if ctx.Err() != nil {
		return ""
	}
	var present []string
	for _, other := range clusters.All() {
		if image, found, err := nodeimage.Find(ctx, nodeimage.Options{Engine: c.engine, Release: other}); err == nil && found {
			present = append(present, other.Minor+" ("+image.Ref+")")
		}
	}
	if len(present) == 0 {
		present = []string{"none"}
	}
	return fmt.Sprintf("\nnothing was changed; releases whose node images %s has: %s; to get that of %s, run \"draconform node-image --release %s\"",
		c.engine.Name(), strings.Join(present, ", "), r.Version, r.Minor)
}

// needsScheduler reports whether the steps need draconform's scheduler and the node does not have it. A running one
// is not replaced, because it may have been built from other code.
func (c *cluster) needsScheduler(ctx context.Context, steps []skew.Step) (bool, error) {
	at := slices.IndexFunc(steps, func(s skew.Step) bool { return s.To.Scheduler == skew.DraconformScheduler })
	if at < 0 {
		return false, nil
	}
	if steps[at].From.Scheduler != skew.DraconformScheduler {
		return true, nil
	}
	manifest, err := c.readManifest(ctx, skew.Scheduler)
	if err != nil {
		return false, err
	}
	has, err := c.has(ctx, c.controlPlane)
	return !has[manifest.Image()], err
}

// missing returns the needs of the steps that nodes do not have, by node.
func (c *cluster) missing(ctx context.Context, steps []skew.Step) (map[string][]need, error) {
	wanted := map[string][]need{}
	for _, s := range steps {
		n := need{s.To.Release, s.To.Component}
		switch {
		case s.To.Scheduler == skew.DraconformScheduler: // not part of a node image
		case n.component == skew.Kubelet:
			wanted[s.To.Node] = append(wanted[s.To.Node], n)
		case n.component == skew.Proxy:
			for _, node := range c.nodes {
				wanted[node] = append(wanted[node], n)
			}
		default:
			wanted[c.controlPlane] = append(wanted[c.controlPlane], n)
		}
	}
	had := make([]map[string]bool, len(c.nodes))
	group, ctx := errgroup.WithContext(ctx)
	for i, node := range c.nodes {
		group.Go(func() (err error) { had[i], err = c.has(ctx, node); return err })
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for i, node := range c.nodes {
		wanted[node] = slices.DeleteFunc(wanted[node], func(n need) bool { return had[i][n.name()] })
		if len(wanted[node]) == 0 {
			delete(wanted, node)
		}
	}
	return wanted, nil
}

// name returns the name on a node: an image reference, or the path of a kubelet.
func (n need) name() string {
	if n.component == skew.Kubelet {
		return stagedKubelet(n.release)
	}
	return "registry.k8s.io/" + names[n.component] + ":v" + n.release.Version
}

// has returns the names of the images and kubelets on a node. It includes the installed kubelet, which a change
// keeps.
func (c *cluster) has(ctx context.Context, node string) (map[string]bool, error) {
	const script = `ctr --namespace k8s.io images list --quiet; ls -d /usr/bin/kubelet-v* 2>/dev/null || true; echo "in-place $(/usr/bin/kubelet --version)"`
	out, err := c.sh(ctx, node, script)
	if err != nil {
		return nil, fmt.Errorf("list images and kubelets: %w", err)
	}
	has := map[string]bool{}
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if version, ok := strings.CutPrefix(line, "in-place "); ok {
			release, err := kubeletRelease(version)
			if err != nil {
				return nil, err
			}
			line = stagedKubelet(release)
		}
		has[line] = true
	}
	return has, nil
}

// copyMissing copies missing components to the nodes in parallel.
func (c *cluster) copyMissing(ctx context.Context, missing map[string][]need, components map[clusters.Release]nodeimage.Components) error {
	group, ctx := errgroup.WithContext(ctx)
	for node, needs := range missing {
		group.Go(func() error {
			for _, n := range needs {
				if err := c.copyComponent(ctx, node, n, components[n.release]); err != nil {
					return fmt.Errorf("copy %s of %s to node %s: %w", n.component, n.release.Version, node, err)
				}
			}
			return nil
		})
	}
	return group.Wait()
}

func (c *cluster) copyComponent(ctx context.Context, node string, n need, components nodeimage.Components) error {
	if n.component != skew.Kubelet {
		return c.provider.LoadImageArchiveInto(ctx, node, components.Archive(names[n.component]))
	}
	// An interrupted copy must not be mistaken for a kubelet.
	if _, err := c.engine.Output(ctx, "cp", components.Kubelet(), node+":"+n.name()+".partial"); err != nil {
		return err
	}
	_, err := c.sh(ctx, node, `mv "$1.partial" "$1"`, n.name())
	return err
}

// provideScheduler builds draconform's scheduler and loads it into the control plane node.
func (c *cluster) provideScheduler(ctx context.Context, reporter *progress.Reporter) error {
	task := reporter.Task("image of the scheduler")
	dir, err := os.MkdirTemp("", "draconform-scheduler-")
	if err != nil {
		return task.Fail(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	archive := filepath.Join(dir, "image.tar")
	if err := images.WriteArchive(ctx, archive, task.Update, images.Scheduler); err != nil {
		return task.Fail(err)
	}
	if err := c.provider.LoadImageArchiveInto(ctx, c.controlPlane, archive); err != nil {
		return task.Fail(err)
	}
	task.Done("built " + images.Scheduler.Ref)
	return nil
}
