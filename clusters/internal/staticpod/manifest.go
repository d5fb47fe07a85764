// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package staticpod reads and changes the manifests of a control plane's static pods as kubeadm writes them. It changes
// the release and the flags of their components and keeps everything else.
package staticpod

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/gates"
	"github.com/draconform/draconform/clusters/skew"
)

// Manifest is the manifest of one static pod. It shares no data with the parsed content.
type Manifest struct {
	pod corev1.Pod
}

// Parse parses a manifest. It returns an error unless the pod has one container with a command, as kubeadm's static
// pods do.
func Parse(content []byte) (*Manifest, error) {
	m := &Manifest{}
	if err := yaml.UnmarshalStrict(content, &m.pod); err != nil {
		return nil, err
	}
	if len(m.pod.Spec.Containers) != 1 || len(m.pod.Spec.Containers[0].Command) == 0 {
		return nil, errors.New("it does not have one container with a command")
	}
	return m, nil
}

// WithNewUID returns a copy with a new UID. If a manifest has no UID, the kubelet derives one from its content. A manifest
// with earlier content would get the earlier UID again. Its containers would be subject to the back-off of the earlier
// ones, up to five minutes.
func (m *Manifest) WithNewUID() *Manifest {
	renewed := &Manifest{pod: *m.pod.DeepCopy()}
	renewed.pod.UID = uuid.NewUUID()
	return renewed
}

// UID returns the UID of the pod. It is empty if the kubelet derives it.
func (m *Manifest) UID() types.UID { return m.pod.UID }

// YAML returns the manifest for the kubelet's folder.
func (m *Manifest) YAML() ([]byte, error) { return yaml.Marshal(m.pod) }

func (m *Manifest) container() *corev1.Container { return &m.pod.Spec.Containers[0] }

// Image returns the image of the container.
func (m *Manifest) Image() string { return m.container().Image }

// Command returns the container's command with its flags.
func (m *Manifest) Command() []string { return slices.Clone(m.container().Command) }

// flag returns the value of a flag. It returns false if the flag is not set.
func (m *Manifest) flag(name string) (string, bool) {
	for _, arg := range m.container().Command {
		if value, found := strings.CutPrefix(arg, "--"+name+"="); found {
			return value, true
		}
	}
	return "", false
}

// setFlag replaces the value of a flag, or appends the flag.
func (m *Manifest) setFlag(name, value string) {
	c := m.container()
	arg := "--" + name + "=" + value
	if at := slices.IndexFunc(c.Command, isFlag(name)); at >= 0 {
		c.Command[at] = arg
	} else {
		c.Command = append(c.Command, arg)
	}
}

func (m *Manifest) removeFlag(name string) {
	m.container().Command = slices.DeleteFunc(m.container().Command, isFlag(name))
}

func isFlag(name string) func(string) bool {
	return func(arg string) bool { return strings.HasPrefix(arg, "--"+name+"=") }
}

// Release returns the release of the component according to its image. For draconform's scheduler, it returns the
// emulated release.
func (m *Manifest) Release() (clusters.Release, error) {
	if m.IsDraconform() {
		if emulated, ok := m.flag(emulatedVersion); ok {
			return clusters.FindRelease(emulated)
		}
		return clusters.FindRelease(skew.SchedulerMinor())
	}
	return ReleaseOf(m.Image())
}

// ReleaseOf returns the release of an image of Kubernetes according to its tag. The release need not be supported.
func ReleaseOf(image string) (clusters.Release, error) {
	tag := image[strings.LastIndex(image, ":")+1:]
	if semver.Canonical(tag) != tag || tag == "" {
		return clusters.Release{}, fmt.Errorf("image %q is not tagged with a release like v1.37.1", image)
	}
	return clusters.Release{Minor: strings.TrimPrefix(semver.MajorMinor(tag), "v"), Version: strings.TrimPrefix(tag, "v")}, nil
}

// WithTag returns the image with the release as its tag.
func WithTag(image string, r clusters.Release) string {
	return image[:strings.LastIndex(image, ":")+1] + "v" + r.Version
}

// Set changes the release of the pod and its set of gates. Configured gates that are not in the old set are kept.
func (m *Manifest) Set(r clusters.Release, set gates.Set) error {
	before, others, err := m.Gates()
	if err != nil {
		return err
	}
	if m.IsDraconform() {
		m.emulate(r)
	} else {
		m.container().Image = WithTag(m.Image(), r)
	}
	m.setGates(set, others)
	if m.container().Name == apiServer {
		m.serve(before, set)
	}
	return nil
}

// ProbeEverySecond sets the period of the startup probe to one second and keeps its total duration. kubeadm's probe starts
// after ten seconds and has a period of ten seconds.
func (m *Manifest) ProbeEverySecond() {
	if probe := m.container().StartupProbe; probe != nil {
		probe.FailureThreshold *= max(1, probe.PeriodSeconds)
		probe.InitialDelaySeconds, probe.PeriodSeconds = 1, 1
	}
}
