// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package metrics reads the metrics of components of the control plane.
package metrics

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/draconform/draconform/e2e/suite/env"
)

// Series are the time series of one counter or gauge of a component with some
// labels. Their values are added.
type Series struct {
	Component env.Component
	Metric    string
	// Labels are labels that the series have, besides any others.
	Labels map[string]string
}

// String returns the series as one writes them in a query.
func (s Series) String() string {
	var labels []string
	for _, name := range slices.Sorted(maps.Keys(s.Labels)) {
		labels = append(labels, fmt.Sprintf("%s=%q", name, s.Labels[name]))
	}
	return fmt.Sprintf("%s{%s} of the %s", s.Metric, strings.Join(labels, ","), s.Component)
}

// Get returns the current value.
func (s Series) Get(ctx context.Context, e *env.Env) float64 {
	ginkgo.GinkgoHelper()
	value, err := s.read(ctx, e)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	return value
}

// WaitFor waits until the value is the wanted one. The wanted value may change
// meanwhile, for example with the objects in the cluster.
func (s Series) WaitFor(ctx context.Context, e *env.Env, because string, want func(context.Context) (float64, error)) {
	ginkgo.GinkgoHelper()
	ginkgo.By("waiting for the value of the metric " + s.String())
	gomega.Eventually(ctx, func(ctx context.Context) error {
		wanted, err := want(ctx)
		if err != nil {
			return err
		}
		value, err := s.read(ctx, e)
		if err == nil && value != wanted {
			err = fmt.Errorf("the metric %s should be %v, and is %v", s, wanted, value)
		}
		return err
	}).WithTimeout(e.Timeouts.Response).Should(gomega.Succeed(), "the metric %s should agree with what happened: %s", s, because)
}

// WaitForAtLeast waits until the value is not less than the given one, and returns it. It
// is for what a component may count more often than a spec makes it happen, because it
// tries again.
func (s Series) WaitForAtLeast(ctx context.Context, e *env.Env, because string, least float64) (value float64) {
	ginkgo.GinkgoHelper()
	ginkgo.By("waiting for the value of the metric " + s.String())
	gomega.Eventually(ctx, func(ctx context.Context) (err error) {
		value, err = s.read(ctx, e)
		if err == nil && value < least {
			err = fmt.Errorf("the metric %s should be at least %v, and is %v", s, least, value)
		}
		return err
	}).WithTimeout(e.Timeouts.Response).Should(gomega.Succeed(), "the metric %s should agree with what happened: %s", s, because)
	return value
}

// read returns the sum of the series. Without a series with the labels, it is 0:
// components report a series from its first value on.
func (s Series) read(ctx context.Context, e *env.Env) (float64, error) {
	content, err := e.Metrics.ReadMetrics(ctx, string(s.Component))
	if err != nil {
		return 0, err
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(content))
	if err != nil {
		return 0, fmt.Errorf("parse the metrics of the %s: %w", s.Component, err)
	}
	sum := 0.0
	for _, metric := range families[s.Metric].GetMetric() {
		if hasLabels(metric.GetLabel(), s.Labels) {
			sum += metric.GetCounter().GetValue() + metric.GetGauge().GetValue()
		}
	}
	return sum, nil
}

// hasLabels reports whether a time series has the wanted labels.
func hasLabels[L interface {
	GetName() string
	GetValue() string
}](labels []L, wanted map[string]string) bool {
	missing := maps.Clone(wanted)
	for _, label := range labels {
		if want, ok := missing[label.GetName()]; ok && want == label.GetValue() {
			delete(missing, label.GetName())
		}
	}
	return len(missing) == 0
}
