// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package env_test

import (
	"context"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/draconform/draconform/e2e/suite/env"
)

func TestObjectsMayExistAfterAnUnclearAnswer(t *testing.T) {
	nodes := schema.GroupResource{Resource: "nodes"}
	for name, test := range map[string]struct {
		err  error
		want bool
	}{
		"created":       {nil, true},
		"no answer":     {fmt.Errorf("create node: %w", context.DeadlineExceeded), true},
		"timeout":       {apierrors.NewTimeoutError("request did not complete", 1), true},
		"of another":    {apierrors.NewAlreadyExists(nodes, "node"), false},
		"not allowed":   {fmt.Errorf("create node: %w", apierrors.NewForbidden(nodes, "node", nil)), false},
		"not valid":     {apierrors.NewBadRequest("no name"), false},
		"in the server": {apierrors.NewInternalError(context.DeadlineExceeded), true},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(env.MayHaveCreated(test.err)).To(Equal(test.want))
		})
	}
}
