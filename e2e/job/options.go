// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package job runs the suite in a pod of the cluster that it tests.
package job

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/distribution/reference"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/e2e/internal/access"
	"github.com/draconform/draconform/e2e/run"
)

// Options describe a Job.
type Options struct {
	// RunID is the id of the run in the pod, required, see [run.NewID]. All
	// objects have it as the label draconform.dev/run.
	RunID string
	// Name is the name of all objects. Default: "draconform-" and the last part
	// of RunID.
	Name string
	// Namespace is an existing namespace. Default: a namespace of the Job, with
	// the name of the Job.
	Namespace string
	// Image is the image of draconform. Default: the suite's own.
	Image string
	// Arch is the architecture of the image as in the label
	// kubernetes.io/arch. Empty means any.
	Arch string
	// Drivers are the driver files. Without any, the run installs the fake
	// drivers.
	Drivers []DriverFile
	// RunArgs are flags of "draconform run" in addition to those that follow
	// from the other options.
	RunArgs []string
	// Rights is what the rights of the run depend on, as Drivers and RunArgs
	// state it.
	Rights access.Run
	// Tolerations and PullSecrets are those of the pod. The Secrets must exist
	// in Namespace.
	Tolerations []corev1.Toleration
	PullSecrets []string
	// Deadline limits the Job. It is rounded up to seconds. Default: 2 hours.
	Deadline time.Duration
	// Hold is how long the pod keeps the results of a finished run for a
	// client. Default: 30 minutes.
	Hold time.Duration
	// Memory is the memory limit of the run. Default: 2Gi.
	Memory string
}

// DriverFile is a driver file. Name is the name of a file, without folders.
type DriverFile struct {
	Name    string
	Content []byte
}

// Defaults of [Options].
const (
	DefaultDeadline = 2 * time.Hour
	DefaultHold     = 30 * time.Minute
	DefaultMemory   = "2Gi"
)

// minDeadline leaves a run the time to start.
const minDeadline = time.Minute

// maxDrivers is the size of all driver files that a ConfigMap can hold. The
// limit of the API is 1 MiB for the whole object.
const maxDrivers = 1000 << 10

// complete validates the options and returns them with defaults.
func (o Options) complete() (Options, error) {
	suffix, err := run.ParseID(o.RunID)
	if err != nil {
		return o, err
	}
	o.Name = cmp.Or(o.Name, "draconform-"+suffix)
	o.Image = cmp.Or(o.Image, images.Draconform.Ref)
	o.Deadline, o.Hold = cmp.Or(o.Deadline, DefaultDeadline), cmp.Or(o.Hold, DefaultHold)
	o.Memory = cmp.Or(o.Memory, DefaultMemory)
	if len(o.PullSecrets) > 0 && o.Namespace == "" {
		return o, errors.New("image pull secrets must exist in the namespace of the Job: set the namespace that has them")
	}
	for _, name := range []struct{ what, value string }{{"name", o.Name}, {"namespace", cmp.Or(o.Namespace, o.Name)}} {
		if problems := validation.IsDNS1123Label(name.value); len(problems) > 0 {
			return o, fmt.Errorf("%s %q of the Job: %s", name.what, name.value, problems[0])
		}
	}
	for _, secret := range o.PullSecrets {
		if problems := validation.IsDNS1123Subdomain(secret); len(problems) > 0 {
			return o, fmt.Errorf("image pull secret %q: %s", secret, problems[0])
		}
	}
	if _, err := reference.ParseNormalizedNamed(o.Image); err != nil {
		return o, fmt.Errorf("image %q of the Job: %w", o.Image, err)
	}
	if problems := validation.IsValidLabelValue(o.Arch); len(problems) > 0 {
		return o, fmt.Errorf("architecture %q of the image: %s", o.Arch, problems[0])
	}
	if o.Deadline < minDeadline {
		return o, fmt.Errorf("deadline of the Job: must be at least %s, not %s", minDeadline, o.Deadline)
	}
	if o.Hold < 0 {
		return o, fmt.Errorf("time for which results are kept: must not be negative, not %s", o.Hold)
	}
	if err := o.checkMemory(); err != nil {
		return o, err
	}
	return o.nameDrivers()
}

// checkMemory validates the memory limit. A limit below the request is invalid.
func (o Options) checkMemory() error {
	limit, err := resource.ParseQuantity(o.Memory)
	if err != nil {
		return fmt.Errorf("memory limit %q of the run: %w", o.Memory, err)
	}
	if least := resource.MustParse("256Mi"); limit.Cmp(least) < 0 {
		return fmt.Errorf("memory limit of the run: must be at least %s, not %s", &least, o.Memory)
	}
	return nil
}

// nameDrivers gives driver files different names that are valid keys of a
// ConfigMap.
func (o Options) nameDrivers() (Options, error) {
	o.Drivers = slices.Clone(o.Drivers)
	size := 0
	used := map[string]bool{}
	for i := range o.Drivers {
		file := &o.Drivers[i]
		size += len(file.Content)
		name := filepath.Base(file.Name)
		for n := i + 1; used[name] || strings.HasPrefix(name, "..") || len(validation.IsConfigMapKey(name)) > 0; n++ {
			name = fmt.Sprintf("driver-%d.yaml", n)
		}
		file.Name, used[name] = name, true
	}
	if size > maxDrivers {
		return o, fmt.Errorf("driver files: they have %d bytes, and a ConfigMap can hold %d", size, maxDrivers)
	}
	return o, nil
}

// ParseToleration parses a toleration of the form of kubectl's taints:
// key=value:effect or key:effect. Without the effect, it tolerates all of the
// key.
func ParseToleration(text string) (corev1.Toleration, error) {
	taint, effect, _ := strings.Cut(text, ":")
	key, value, hasValue := strings.Cut(taint, "=")
	t := corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffect(effect)}
	if hasValue {
		t.Operator, t.Value = corev1.TolerationOpEqual, value
	}
	known := []corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute}
	switch {
	case len(validation.IsQualifiedName(key)) > 0:
		return t, fmt.Errorf("toleration %q: %q is not the key of a taint, use key=value:effect, key:effect or key", text, key)
	case len(validation.IsValidLabelValue(value)) > 0:
		return t, fmt.Errorf("toleration %q: %q is not the value of a taint", text, value)
	case strings.Contains(text, ":") && !slices.Contains(known, t.Effect):
		return t, fmt.Errorf("toleration %q: effect %q is not known, use NoSchedule, PreferNoSchedule or NoExecute", text, effect)
	}
	return t, nil
}
