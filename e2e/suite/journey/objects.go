// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package journey

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/simulated"
	"github.com/draconform/draconform/e2e/suite/taintrules"
)

// getObjects reads the objects of the spec.
func (r *Run) getObjects(ctx context.Context) (objects, error) {
	pods, err := r.Client.CoreV1().Pods(r.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return objects{}, fmt.Errorf("list the pods of namespace %s: %w", r.Namespace, err)
	}
	if r.isClassic() {
		return r.getClassicObjects(ctx, pods.Items)
	}
	claims, err := r.Client.ResourceV1().ResourceClaims(r.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return objects{}, fmt.Errorf("list the claims of namespace %s: %w", r.Namespace, err)
	}
	others, err := r.getOthers(ctx)
	if err != nil {
		return objects{}, err
	}
	rules, err := r.getRules(ctx)
	return objects{
		pods:    byName(pods.Items, func(p corev1.Pod) string { return p.Name }),
		claims:  byName(claims.Items, func(c resourceapi.ResourceClaim) string { return c.Name }),
		others:  others,
		rules:   rules,
		drivers: r.SimulatedDrivers,
	}, err
}

// getOthers returns the ResourceSlices of the spec's simulated nodes, and the
// spec's ResourceClaimTemplates and DeviceClasses.
func (r *Run) getOthers(ctx context.Context) (map[string]other, error) {
	all := map[string]other{}
	published, err := devices.ListSlices(ctx, r.Env, simulated.DriverNames(r.Env)[0])
	if err != nil {
		return nil, err
	}
	for _, s := range published {
		all[sliceKey(s.Name)] = other{meta: s.ObjectMeta, spec: s.Spec, update: r.updateSlice(s)}
	}
	templates, err := r.Client.ResourceV1().ResourceClaimTemplates(r.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list the claim templates of namespace %s: %w", r.Namespace, err)
	}
	for _, t := range templates.Items {
		all["template "+t.Name] = other{meta: t.ObjectMeta, spec: t.Spec, update: r.updateTemplate(t)}
	}
	classes, err := r.Client.ResourceV1().DeviceClasses().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list the device classes: %w", err)
	}
	for _, c := range classes.Items {
		if slices.Contains(r.DeviceClasses, c.Name) {
			all[classKey(c.Name)] = other{meta: c.ObjectMeta, spec: c.Spec, update: r.updateClass(c)}
		}
	}
	return all, nil
}

// getRules returns the DeviceTaintRules of the spec. It returns nil if the API
// server serves none.
func (r *Run) getRules(ctx context.Context) (map[string]other, error) {
	served, err := taintrules.IsServed(r.Client)
	if err != nil || !served {
		return nil, err
	}
	all := map[string]other{}
	rules, err := taintrules.List(ctx, r.Client, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list the device taint rules: %w", err)
	}
	for _, rule := range rules.Items {
		if strings.HasPrefix(rule.Name, r.UniqueName()+"-") {
			all[ruleKey(rule.Name)] = other{meta: rule.ObjectMeta, spec: rule.Spec, conditions: rule.Status.Conditions}
		}
	}
	return all, nil
}

// sliceKey returns the key of a ResourceSlice in objects.others.
func sliceKey(name string) string { return "slice " + name }

// ruleKey returns the key of a DeviceTaintRule in objects.rules.
func ruleKey(name string) string { return "device taint rule " + name }

func byName[T any](all []T, name func(T) string) map[string]T {
	m := map[string]T{}
	for _, object := range all {
		m[name(object)] = object
	}
	return m
}

// objects has the objects of a spec in the cluster by name.
type objects struct {
	pods   map[string]corev1.Pod
	claims map[string]resourceapi.ResourceClaim
	// others has the other objects, with keys such as "slice a".
	others map[string]other
	// rules has the DeviceTaintRules, with keys such as "device taint rule a". It
	// is nil if the API server serves none. They may still be stored then.
	rules map[string]other
	// drivers are the drivers in whose name only the spec writes.
	drivers []string
}

// other is an object that only the spec may change.
type other struct {
	meta metav1.ObjectMeta
	spec any
	// conditions are those in its status. Others may change them, but not remove
	// them.
	conditions []metav1.Condition
	// update updates the object in a dry run with a label more. It is nil for an
	// object that is not updated.
	update func(context.Context) (updated, error)
}
