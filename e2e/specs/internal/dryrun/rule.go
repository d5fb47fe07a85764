// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package dryrun

import (
	"context"
	"encoding/json"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/taintrules"
)

// createRule creates a DeviceTaintRule as a dry run, in the version in which the API
// server serves it. Unlike [env.DryRunCreate], it knows the fields of the type only.
func createRule(ctx context.Context, e *env.Env, kind string, spec map[string]any) (map[string]any, error) {
	rule := &resourceapi.DeviceTaintRule{ObjectMeta: metav1.ObjectMeta{Name: e.UniqueName() + "-try", Labels: e.Labels}}
	if err := convert(spec, &rule.Spec); err != nil {
		return nil, fmt.Errorf("encode %s: %w", kind, err)
	}
	created, err := taintrules.DryRunCreate(ctx, e.Client, rule)
	if err != nil {
		return nil, fmt.Errorf("create %s as a dry run: %w", kind, err)
	}
	var stored map[string]any
	if err := convert(created, &stored); err != nil {
		return nil, fmt.Errorf("decode the stored %s: %w", kind, err)
	}
	return stored, nil
}

func convert(from, to any) error {
	content, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(content, to)
}
