// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package preflight compares driver files with a cluster before a run creates
// anything. It only reads, except for dry runs of what specs create.
package preflight

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/allocator/state"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject/driverfile"
	"github.com/draconform/draconform/e2e/subject/published"
)

// Options has what is not in driver files.
type Options struct {
	// Namespace is an existing namespace for the run. Empty means that the run
	// creates one.
	Namespace string
	// Image is the image of the pods of specs, unless a driver file has one.
	Image string
	// Architectures are those of Image. Empty means that they are not known.
	Architectures []string
	// Features are those of the cluster. Nil means that they are not known.
	Features features.Set
	// Scheduler is the name of the pods' scheduler. Empty means the default one.
	Scheduler string
	// NodeAgent is set if the run installs node agents.
	NodeAgent bool
}

// Result is the result of a check.
type Result string

// The results.
const (
	// OK: what the file states is so.
	OK Result = "ok"
	// Warning: some specs may fail or not run.
	Warning Result = "warning"
	// Problem: specs would fail for a reason that is not the driver's.
	Problem Result = "problem"
)

// Finding is the result of a check with what was found, and with what to do
// unless it is OK.
type Finding struct {
	Driver string `json:"driver"`
	// Check is what was checked, such as "class".
	Check  string `json:"check"`
	Result Result `json:"result"`
	// Field is the field of the driver file, and Position is its file and line.
	Field    string `json:"field,omitempty"`
	Position string `json:"position,omitempty"`
	Message  string `json:"message"`
}

// String returns the finding as one sentence, with its place.
func (f Finding) String() string {
	parts := []string{string(f.Result), cmp.Or(f.Position, f.Driver), f.Field, f.Message}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ": ")
}

// Failed reports whether any finding is a problem.
func Failed(found []Finding) bool {
	return slices.ContainsFunc(found, func(f Finding) bool { return f.Result == Problem })
}

// The checks whose problems do not keep a run from starting.
const (
	// checkPool: a run judges the driver by its pools.
	checkPool = "pool"
	// checkDevices: devices in use may become free. Without them, specs are not
	// applicable.
	checkDevices = "devices"
)

// Blocking returns the problems for which a run must not start, because specs would
// fail for a reason that is not the driver's, or because there is no driver.
func Blocking(found []Finding) []Finding {
	return slices.DeleteFunc(slices.Clone(found), func(f Finding) bool {
		return f.Result != Problem || f.Check == checkPool || f.Check == checkDevices
	})
}

// Check compares validated driver files with a cluster. What the caller may not
// read is a finding. An error means that the API server did not respond as
// expected, or that the context ended.
func Check(ctx context.Context, client kubernetes.Interface, drivers []*driverfile.Driver, o Options) ([]Finding, error) {
	c := &checker{ctx: ctx, client: client, Options: o}
	missing, err := c.read()
	if err != nil {
		return nil, err
	}
	for _, d := range drivers {
		c.file, c.driver = d, published.Find(c.drivers, d.Name)
		if missing != "" {
			c.report(Problem, "read", "", "%s", missing)
		} else if err := c.checkDriver(); err != nil {
			return nil, err
		}
		for _, check := range []func() error{c.checkDaemonSet, c.checkRights, c.checkNamespace} {
			if err := check(); err != nil {
				return nil, err
			}
		}
	}
	return c.found, nil
}

// checker checks one driver file after the other.
type checker struct {
	Options
	ctx     context.Context //nolint:containedctx // It lives as long as a call of Check.
	client  kubernetes.Interface
	objects *state.Objects
	drivers []*published.Driver
	holders holders

	file *driverfile.Driver
	// driver is what the driver publishes. It is nil for a driver without
	// ResourceSlices.
	driver *published.Driver
	found  []Finding
}

func (c *checker) report(result Result, check, field, format string, args ...any) {
	f := Finding{Driver: c.file.Name, Check: check, Result: result, Field: field, Message: fmt.Sprintf(format, args...)}
	if field != "" {
		f.Position = c.file.Position(field)
	}
	c.found = append(c.found, f)
}

// read lists what drivers publish and what is allocated. missing states what
// the caller may not list.
func (c *checker) read() (missing string, err error) {
	c.objects = &state.Objects{}
	offered, err := c.client.ResourceV1().ResourceSlices().List(c.ctx, metav1.ListOptions{})
	if apierrors.IsNotFound(err) {
		return fmt.Sprintf("the API server does not serve %s: it needs Kubernetes 1.34 or newer, with Dynamic Resource Allocation enabled", resourceapi.SchemeGroupVersion), nil
	}
	if err != nil {
		return forbidden("list ResourceSlices", err)
	}
	classes, err := c.client.ResourceV1().DeviceClasses().List(c.ctx, metav1.ListOptions{})
	if err != nil {
		return forbidden("list DeviceClasses", err)
	}
	claims, err := c.client.ResourceV1().ResourceClaims(metav1.NamespaceAll).List(c.ctx, metav1.ListOptions{})
	if err != nil {
		return forbidden("list ResourceClaims of all namespaces", err)
	}
	nodes, err := c.client.CoreV1().Nodes().List(c.ctx, metav1.ListOptions{})
	if err != nil {
		return forbidden("list Nodes", err)
	}
	addAll(c.objects, offered.Items)
	addAll(c.objects, classes.Items)
	addAll(c.objects, claims.Items)
	addAll(c.objects, nodes.Items)
	c.holders = holdersOf(claims.Items)
	c.drivers, err = published.Drivers(c.ctx, c.objects)
	return "", err
}

func addAll[T any](objects *state.Objects, items []T) {
	for i := range items {
		objects.Add(&items[i])
	}
}

// forbidden returns a message for a right that is missing. Other errors remain
// errors.
func forbidden(what string, err error) (string, error) {
	if apierrors.IsForbidden(err) {
		return fmt.Sprintf("cannot %s, so that nothing about devices was checked: %v", what, err), nil
	}
	return "", fmt.Errorf("%s: %w", what, err)
}
