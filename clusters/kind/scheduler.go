// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"context"
	"fmt"
	"os"
	"time"

	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/kind/pkg/cluster/nodes"
	"sigs.k8s.io/kind/pkg/cluster/nodeutils"

	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/clusters/internal/staticpod"
	"github.com/draconform/draconform/clusters/skew"
)

const (
	schedulerManifest = staticpod.Folder + "kube-scheduler.yaml"
	// schedulerTimeout bounds the wait for a scheduler that replaces another
	// one: the kubelet's termination grace period of the old one is up to 30
	// seconds.
	schedulerTimeout = 2 * time.Minute
)

// useScheduler runs the scheduler of an archive on the control plane node and
// waits until it holds the lease. It does nothing if the options select the
// release's own scheduler.
func (p *Provider) useScheduler(ctx context.Context, archive string) error {
	if p.options.Scheduler == skew.KubeScheduler {
		return nil
	}
	task := p.options.Progress.Task("scheduler %s", p.options.Scheduler)
	if err := p.replaceScheduler(ctx, archive); err != nil {
		return task.Fail(err)
	}
	task.Done(images.Scheduler.Ref + " leads")
	return nil
}

func (p *Provider) replaceScheduler(ctx context.Context, archive string) error {
	controlPlane, err := p.controlPlane()
	if err != nil {
		return err
	}
	if err := load(ctx, controlPlane, func() (*os.File, error) { return os.Open(archive) }); err != nil {
		return err
	}
	return p.UseScheduler(ctx, images.Scheduler)
}

func (p *Provider) controlPlane() ([]nodes.Node, error) {
	all, err := p.kind(nil).ListInternalNodes(p.options.Name)
	if err != nil {
		return nil, fmt.Errorf("list the nodes of cluster %s: %w", p.options.Name, withOutput(err))
	}
	controlPlane, err := nodeutils.ControlPlaneNodes(all)
	if err != nil {
		return nil, fmt.Errorf("find the control plane of cluster %s: %w", p.options.Name, withOutput(err))
	}
	return controlPlane, nil
}

// UseScheduler runs an image of the scheduler in allocator/scheduler on the
// control plane node and waits until it holds the lease. The image must be
// loaded. The scheduler emulates the release of the scheduler that it replaces.
func (p *Provider) UseScheduler(ctx context.Context, image images.Image) error {
	controlPlane, err := p.controlPlane()
	if err != nil {
		return err
	}
	config, err := p.restConfig()
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	before, err := leader(ctx, client)
	if err != nil {
		return err
	}
	for _, node := range controlPlane {
		if err := p.changeManifest(ctx, node.String(), image); err != nil {
			return fmt.Errorf("replace the scheduler on node %s: %w", node, err)
		}
	}
	return waitForScheduler(ctx, client, image.Ref, before)
}

// changeManifest replaces the manifest of the scheduler's static pod.
func (p *Provider) changeManifest(ctx context.Context, node string, image images.Image) error {
	old, err := p.engine.Exec(ctx, node, "cat", schedulerManifest)
	if err != nil {
		return fmt.Errorf("read %s: %w", schedulerManifest, err)
	}
	pod, err := schedulerPod([]byte(old), image)
	if err != nil {
		return err
	}
	changed, err := pod.WithNewUID().YAML()
	if err != nil {
		return fmt.Errorf("write %s: %w", schedulerManifest, err)
	}
	if _, err := p.engine.Exec(ctx, node, "sh", "-ec", staticpod.Swap, "sh", staticpod.Root, "kube-scheduler", string(changed)); err != nil {
		return fmt.Errorf("replace %s: %w", schedulerManifest, err)
	}
	return nil
}

// schedulerPod returns kubeadm's manifest of kube-scheduler, or an earlier
// result of this function, with the given image and the command of draconform's
// scheduler.
func schedulerPod(manifest []byte, image images.Image) (*staticpod.Manifest, error) {
	pod, err := staticpod.Parse(manifest)
	if err == nil {
		err = pod.UseDraconform(image)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", schedulerManifest, err)
	}
	pod.ProbeEverySecond()
	return pod, nil
}
