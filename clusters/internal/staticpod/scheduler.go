// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package staticpod

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/clusters/skew"
)

const (
	kubeScheduler   = "kube-scheduler"
	emulatedVersion = "emulated-version"
)

// SchedulerProcess is a pattern of pkill for the name of the process of a scheduler,
// which the kernel truncates. No other process on a node has such a name.
const SchedulerProcess = "kube-scheduler|draconform-sche"

// IsDraconform reports whether the pod runs draconform's scheduler, from any image.
func (m *Manifest) IsDraconform() bool {
	return m.container().Command[0] == "/"+images.Scheduler.Binary()
}

// UseDraconform changes the pod to run draconform's scheduler. It keeps the flags and the release of the current
// scheduler. The image must exist on the node.
func (m *Manifest) UseDraconform(image images.Image) error {
	release, err := m.Release()
	if err != nil {
		return err
	}
	c := m.container()
	c.Image, c.ImagePullPolicy = image.Ref, corev1.PullNever
	c.Command[0] = "/" + image.Binary()
	m.emulate(release)
	return nil
}

// UseKubeScheduler changes the pod to run the release's own scheduler.
func (m *Manifest) UseKubeScheduler() error {
	release, err := m.Release()
	if err != nil {
		return err
	}
	c := m.container()
	c.Image, c.ImagePullPolicy = "registry.k8s.io/"+kubeScheduler+":v"+release.Version, corev1.PullIfNotPresent
	c.Command[0] = kubeScheduler
	m.removeFlag(emulatedVersion)
	return nil
}

// emulate sets the release that draconform's scheduler emulates.
func (m *Manifest) emulate(r clusters.Release) {
	if r.Minor == skew.SchedulerMinor() {
		m.removeFlag(emulatedVersion)
	} else {
		m.setFlag(emulatedVersion, r.Minor)
	}
}
