// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"encoding/json"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func seconds(n int) *metav1.Duration {
	return &metav1.Duration{Duration: time.Duration(n) * time.Second}
}

func longAgo() *metav1.Time { return &metav1.Time{Time: time.Now().Add(-24 * time.Hour)} }

// conditions returns a list with one condition that is true.
func conditions(name string) []metav1.Condition {
	return []metav1.Condition{{Type: name, Status: metav1.ConditionTrue, Reason: "Test"}}
}

func mustJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}
