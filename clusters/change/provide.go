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
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/clusters/nodeimage"
	"github.com/draconform/draconform/clusters/progress"
)

// need is something of a release that a node has to have before a step.
type need struct {
	release   clusters.Release
	component Component
}

// provide brings to the nodes what steps need and what is not there: the only part that may fail for want of something
// outside of the cluster, and it changes nothing that runs.
func (c *cluster) provide(ctx context.Context, steps []Step, reporter *progress.Reporter) error {
	missing, err := c.missing(ctx, steps)
	if err != nil {
		return err
	}
	parts, err := c.parts(ctx, missing, reporter)
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		st := reporter.Stage("components into %d nodes", len(missing))
		if err := c.bring(ctx, missing, parts); err != nil {
			return st.Fail(err)
		}
		st.Done("")
	}
	if needed, err := c.needsScheduler(ctx, steps); err != nil || !needed {
		return err
	}
	return c.bringScheduler(ctx, reporter)
}

// parts are those of the releases that something is missing of.
func (c *cluster) parts(ctx context.Context, missing map[string][]need, reporter *progress.Reporter) (map[clusters.Release]nodeimage.Parts, error) {
	parts := map[clusters.Release]nodeimage.Parts{}
	for _, needs := range missing {
		for _, n := range needs {
			if _, ok := parts[n.release]; ok {
				continue
			}
			var err error
			parts[n.release], err = nodeimage.GetParts(ctx, nodeimage.Options{Engine: c.engine, Release: n.release, Progress: reporter}, c.provider.Run())
			if err != nil {
				return nil, fmt.Errorf("get the components of Kubernetes %s: %w%s", n.release.Version, err, c.supportedWays(ctx, n.release))
			}
		}
	}
	return parts, nil
}

// supportedWays says what can be done if a release cannot be had.
func (c *cluster) supportedWays(ctx context.Context, r clusters.Release) string {
	if ctx.Err() != nil {
		return ""
	}
	var atHand []string
	for _, other := range clusters.Releases() {
		if image, found, err := nodeimage.Find(ctx, nodeimage.Options{Engine: c.engine, Release: other}); err == nil && found {
			atHand = append(atHand, other.Minor+" ("+image.Ref+")")
		}
	}
	if len(atHand) == 0 {
		atHand = []string{"none"}
	}
	return fmt.Sprintf("\nnothing was changed; releases whose node images %s has: %s; where %s can be had, \"draconform node-image --release %s\" gets it",
		c.engine.Name(), strings.Join(atHand, ", "), r.Version, r.Minor)
}

// needsScheduler reports whether steps need draconform's scheduler and the node does not have it. One that runs stays what
// it is: it may have been built from other code.
func (c *cluster) needsScheduler(ctx context.Context, steps []Step) (bool, error) {
	at := slices.IndexFunc(steps, func(s Step) bool { return s.To.Scheduler == kind.DraconformScheduler })
	if at < 0 {
		return false, nil
	}
	if steps[at].From.Scheduler != kind.DraconformScheduler {
		return true, nil
	}
	manifest, err := c.readManifest(ctx, Scheduler)
	if err != nil {
		return false, err
	}
	has, err := c.has(ctx, c.controlPlane)
	return !has[manifest.Image()], err
}

// missing are the needs of steps that nodes do not have, by node.
func (c *cluster) missing(ctx context.Context, steps []Step) (map[string][]need, error) {
	wanted := map[string][]need{}
	for _, s := range steps {
		n := need{s.To.Release, s.To.Component}
		switch {
		case s.To.Scheduler == kind.DraconformScheduler: // it is not of a node image
		case n.component == Kubelet:
			wanted[s.To.Node] = append(wanted[s.To.Node], n)
		case n.component == Proxy:
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

// name is how a node calls what is needed: a reference of an image, or the path of a kubelet.
func (n need) name() string {
	if n.component == Kubelet {
		return stagedKubelet(n.release)
	}
	return "registry.k8s.io/" + names[n.component] + ":v" + n.release.Version
}

// has is what a node has, by its name. The kubelet that is in its place will be kept.
func (c *cluster) has(ctx context.Context, node string) (map[string]bool, error) {
	const script = `ctr --namespace k8s.io images list --quiet; ls -d /usr/bin/kubelet-v* 2>/dev/null || true; echo "in-place $(/usr/bin/kubelet --version)"`
	out, err := c.sh(ctx, node, script)
	if err != nil {
		return nil, fmt.Errorf("look for images and kubelets: %w", err)
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

// bring takes what is missing to the nodes, side by side.
func (c *cluster) bring(ctx context.Context, missing map[string][]need, parts map[clusters.Release]nodeimage.Parts) error {
	group, ctx := errgroup.WithContext(ctx)
	for node, needs := range missing {
		group.Go(func() error {
			for _, n := range needs {
				if err := c.bringOne(ctx, node, n, parts[n.release]); err != nil {
					return fmt.Errorf("bring %s of %s to node %s: %w", n.component, n.release.Version, node, err)
				}
			}
			return nil
		})
	}
	return group.Wait()
}

func (c *cluster) bringOne(ctx context.Context, node string, n need, parts nodeimage.Parts) error {
	if n.component != Kubelet {
		return c.provider.LoadImageArchiveInto(ctx, node, parts.Archive(names[n.component]))
	}
	// A copy that was interrupted must not be taken for a kubelet.
	if _, err := c.engine.Output(ctx, "cp", parts.Kubelet(), node+":"+n.name()+".partial"); err != nil {
		return err
	}
	_, err := c.sh(ctx, node, `mv "$1.partial" "$1"`, n.name())
	return err
}

// bringScheduler builds draconform's scheduler and brings it to the control plane.
func (c *cluster) bringScheduler(ctx context.Context, reporter *progress.Reporter) error {
	st := reporter.Stage("image of the scheduler")
	dir, err := os.MkdirTemp("", "draconform-scheduler-")
	if err != nil {
		return st.Fail(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	archive := filepath.Join(dir, "image.tar")
	if err := images.WriteArchive(ctx, archive, st.Update, images.Scheduler); err != nil {
		return st.Fail(err)
	}
	if err := c.provider.LoadImageArchiveInto(ctx, c.controlPlane, archive); err != nil {
		return st.Fail(err)
	}
	st.Done("built " + images.Scheduler.Ref)
	return nil
}
