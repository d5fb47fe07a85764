// Package staticpod reads and changes the manifests of a control plane's static pods, as kubeadm writes them: the release
// and the flags of their components, while everything else stays.
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
)

// Manifest is one static pod. Nothing of it is shared with what it was parsed from.
type Manifest struct {
	pod corev1.Pod
}

// Parse reads a manifest. A static pod of kubeadm's has one container, whose command is its first argument.
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

// Anew is the same pod with a UID of its own. A kubelet makes the UID of a manifest that has none from its content: one that
// comes back has the UID that it had, and its containers wait as those do that ended before, up to five minutes.
func (m *Manifest) Anew() *Manifest {
	anew := &Manifest{pod: *m.pod.DeepCopy()}
	anew.pod.UID = uuid.NewUUID()
	return anew
}

// UID is that of the pod, or empty if the kubelet makes it.
func (m *Manifest) UID() types.UID { return m.pod.UID }

// YAML is the manifest for the kubelet's folder.
func (m *Manifest) YAML() ([]byte, error) { return yaml.Marshal(m.pod) }

func (m *Manifest) container() *corev1.Container { return &m.pod.Spec.Containers[0] }

// Image is what the container runs.
func (m *Manifest) Image() string { return m.container().Image }

// Command is the container's command with its flags.
func (m *Manifest) Command() []string { return slices.Clone(m.container().Command) }

// flag returns the value of a flag, and false if it is not set.
func (m *Manifest) flag(name string) (string, bool) {
	for _, arg := range m.container().Command {
		if value, found := strings.CutPrefix(arg, "--"+name+"="); found {
			return value, true
		}
	}
	return "", false
}

// setFlag sets a flag where it stands, or as the last one.
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

// Release is the one that the component is of, by its image; of draconform's scheduler the one that it emulates.
func (m *Manifest) Release() (clusters.Release, error) {
	if m.IsDraconform() {
		if emulated, ok := m.flag(emulatedVersion); ok {
			return clusters.FindRelease(emulated)
		}
		return clusters.FindRelease(schedulerMinor())
	}
	return ReleaseOf(m.Image())
}

// ReleaseOf is the release of an image of Kubernetes', by its tag. It need not be a supported one.
func ReleaseOf(image string) (clusters.Release, error) {
	tag := image[strings.LastIndex(image, ":")+1:]
	if semver.Canonical(tag) != tag || tag == "" {
		return clusters.Release{}, fmt.Errorf("image %q is not tagged with a release like v1.37.1", image)
	}
	return clusters.Release{Minor: strings.TrimPrefix(semver.MajorMinor(tag), "v"), Version: strings.TrimPrefix(tag, "v")}, nil
}

// WithTag is the image with the release as its tag.
func WithTag(image string, r clusters.Release) string {
	return image[:strings.LastIndex(image, ":")+1] + "v" + r.Version
}

// Set has the pod run another release with a set of its gates. What is configured beside the gates of before stays.
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

// LookSoon has the kubelet look every second whether the container has started, for as long as before: kubeadm's first
// look is after ten seconds, and the next after ten more.
func (m *Manifest) LookSoon() {
	if probe := m.container().StartupProbe; probe != nil {
		probe.FailureThreshold *= max(1, probe.PeriodSeconds)
		probe.InitialDelaySeconds, probe.PeriodSeconds = 1, 1
	}
}
