// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	fwk "k8s.io/kube-scheduler/framework"
)

// worldNodes is the snapshot of the nodes of a world.
type worldNodes struct {
	fwk.Handle
	fwk.SharedLister
	fwk.NodeInfoLister
	w *world
}

func (n worldNodes) SnapshotSharedLister() fwk.SharedLister { return n }

func (n worldNodes) NodeInfos() fwk.NodeInfoLister { return n }

func (n worldNodes) Get(name string) (fwk.NodeInfo, error) {
	for _, info := range n.w.nodes {
		if info.Node().Name == name {
			return info, nil
		}
	}
	return nil, fmt.Errorf("there is no node %s", name)
}

// NodeResourcesFit reads the classes after PreFilter of this plugin. A pod that it lets onto a node because of a class
// that appeared in between must not be bound there without devices.
func TestClassThatAppearsDuringAnAttempt(t *testing.T) {
	w := newWorldWith(t, defaultFeatures(), func(w *world) (draPlugin, error) {
		return newPlugin(w.ctx, nil, worldNodes{Handle: w.handle, w: w}, w.features)
	}, node("a"), withPlugin(node("plugin"), "1"), gpus("a", 1))
	pod := extendedPod("p", "1")
	w.create(pod)
	c := w.begin(pod)
	w.Expect(c.preFilter().IsSkip()).To(BeTrue())
	w.Expect(w.plugin.Reserve(w.ctx, c.state, pod, "a")).To(succeed(), "no class, so NodeResourcesFit decided")
	w.create(extendedClass())
	w.Expect(w.plugin.Reserve(w.ctx, c.state, pod, "plugin")).To(succeed())
	w.Expect(w.plugin.Reserve(w.ctx, c.state, pod, "a")).To(unschedulableBecause("a device class provides resource example.com/gpu since this attempt began"))
	w.Expect(w.plugin.Reserve(w.ctx, w.begin(podWith("q")).state, podWith("q"), "a")).To(succeed(), "it requests no extended resource")

	w.nodes = w.nodes[:1]
	w.mustBind(pod)
	w.Expect(w.devicesInUse()).To(HaveLen(1))
}
