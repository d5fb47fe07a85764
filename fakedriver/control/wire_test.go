// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package control_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"

	"github.com/draconform/draconform/fakedriver/calls"
	"github.com/draconform/draconform/fakedriver/claims"
	"github.com/draconform/draconform/fakedriver/control"
)

// Guards the JSON format of requests, which users may also write by hand.
func TestWire(t *testing.T) {
	d := &drivers{}
	address, _ := serve(t, d)
	for _, test := range []struct {
		method, path, body string
		want               []any
	}{
		{"POST", "/faults", `{"method": "NodePrepareResources", "action": "Delay", "count": 2, "delay": "1m30s", "id": "first"}`,
			[]any{"inject", "d", calls.Fault{Method: calls.Prepare, Action: calls.Delay, Count: 2, Delay: metav1.Duration{Duration: 90 * time.Second}, ID: "first"}}},
		{"POST", "/faults", `{"method": "NodeUnprepareResources", "action": "Fail", "count": 1, "message": "no"}`,
			[]any{"inject", "d", calls.Fault{Method: calls.Unprepare, Action: calls.Fail, Count: 1, Message: "no"}}},
		{"DELETE", "/faults", ``, []any{"release", "d"}},
		{"PUT", "/registration", `{"offered": true}`, []any{"register", "d", true}},
		{"PUT", "/health", `{"gpu-0": {"status": "Unhealthy", "message": "hot"}}`,
			[]any{"health", "d", control.Health{"gpu-0": {Status: kubeletplugin.HealthStatusUnhealthy, Message: "hot"}}}},
		{"PUT", "/disk", `{"checkpointFull": true}`, []any{"disk", "d", claims.Disk{CheckpointFull: true}}},
		{"POST", "/damage", `{"checkpoint": "Lost"}`, []any{"damage", "d", control.Damage{Checkpoint: claims.Lost}}},
		{"PUT", "", `{"devices": {"description": "x"}, "defect": "MissingSlice"}`,
			[]any{"publish", "d", control.Published{Devices: control.Devices{Description: "x"}, Defect: control.MissingSlice}}},
		{"GET", "/calls?after=7", ``, []any{"calls", "d", 7}},
	} {
		g := NewWithT(t)
		request := httptest.NewRequestWithContext(t.Context(), test.method, "http://"+address+"/control/v1/drivers/d"+test.path, strings.NewReader(test.body))
		request.RequestURI = ""
		request.Header.Set(control.TokenHeader, token)
		response, err := http.DefaultClient.Do(request)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(response).To(HaveHTTPStatus(http.StatusOK), test.path)
		g.Expect(response.Body.Close()).To(Succeed())
		g.Expect(d.recorded).To(Equal(test.want))
	}
}
