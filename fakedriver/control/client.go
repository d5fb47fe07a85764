// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"k8s.io/client-go/rest"

	"github.com/draconform/draconform/fakedriver/calls"
	"github.com/draconform/draconform/fakedriver/claims"
)

// Client controls the drivers in one pod, which is the pod of one node.
// Requests are canceled with their context. Errors wrap ErrInvalid,
// ErrUnknownDriver, ErrInUse or ErrPending if the pod responded with the
// corresponding status.
type Client struct {
	api       rest.Interface
	namespace string
	pod       string
	token     string
}

// NewClient returns a client for a pod. api is a REST client for core/v1, for
// example kubernetes.Interface.CoreV1().RESTClient().
func NewClient(api rest.Interface, namespace, pod, token string) *Client {
	return &Client{api: api, namespace: namespace, pod: pod, token: token}
}

// List returns the status of all drivers of the pod.
func (c *Client) List(ctx context.Context) ([]Status, error) {
	var out []Status
	err := c.do(ctx, request{verb: http.MethodGet, path: []string{"drivers"}, out: &out})
	return out, err
}

// Status returns the status of a driver.
func (c *Client) Status(ctx context.Context, driver string) (Status, error) {
	var out Status
	err := c.do(ctx, request{verb: http.MethodGet, path: []string{"drivers", driver}, out: &out})
	return out, err
}

// Publish starts the driver if it does not run, and changes what it publishes.
// It returns when the API server has exactly that content.
func (c *Client) Publish(ctx context.Context, driver string, published Published) (Status, error) {
	var out Status
	err := c.do(ctx, request{verb: http.MethodPut, path: []string{"drivers", driver}, in: published, out: &out})
	return out, err
}

// Stop stops a driver that Publish started, and deletes its ResourceSlices.
func (c *Client) Stop(ctx context.Context, driver string) error {
	return c.do(ctx, request{verb: http.MethodDelete, path: []string{"drivers", driver}})
}

// Calls returns the calls of the kubelet with a higher number than after.
func (c *Client) Calls(ctx context.Context, driver string, after int) ([]calls.Call, error) {
	var out []calls.Call
	err := c.do(ctx, request{verb: http.MethodGet, path: []string{"drivers", driver, "calls"}, after: after, out: &out})
	return out, err
}

// Inject injects a fault into future calls.
func (c *Client) Inject(ctx context.Context, driver string, fault calls.Fault) error {
	return c.do(ctx, request{verb: http.MethodPost, path: []string{"drivers", driver, "faults"}, in: fault})
}

// Release lets waiting calls continue and discards all other faults.
func (c *Client) Release(ctx context.Context, driver string) error {
	return c.do(ctx, request{verb: http.MethodDelete, path: []string{"drivers", driver, "faults"}})
}

// Register registers a driver with the kubelet if offered is true, and
// deregisters it otherwise.
func (c *Client) Register(ctx context.Context, driver string, offered bool) error {
	return c.do(ctx, request{verb: http.MethodPut, path: []string{"drivers", driver, "registration"}, in: Registration{Offered: offered}})
}

// SetHealth changes the device health that a driver reports to the kubelet.
func (c *Client) SetHealth(ctx context.Context, driver string, health Health) error {
	return c.do(ctx, request{verb: http.MethodPut, path: []string{"drivers", driver, "health"}, in: health})
}

// SetDisk changes the state of the disks that a driver writes to.
func (c *Client) SetDisk(ctx context.Context, driver string, disk claims.Disk) error {
	return c.do(ctx, request{verb: http.MethodPut, path: []string{"drivers", driver, "disk"}, in: disk})
}

// Damage damages the checkpoint of a driver. The next process finds the damage.
func (c *Client) Damage(ctx context.Context, driver string, damage Damage) error {
	return c.do(ctx, request{verb: http.MethodPost, path: []string{"drivers", driver, "damage"}, in: damage})
}

// Exit ends the process in the pod without any clean-up. The next one starts in
// the same container.
func (c *Client) Exit(ctx context.Context) error {
	return c.do(ctx, request{verb: http.MethodPost, path: []string{"exit"}})
}

// request is an HTTP request. If they are set, in is the body and out receives
// the decoded response.
type request struct {
	verb    string
	path    []string
	after   int
	in, out any
}

func (c *Client) do(ctx context.Context, r request) error {
	call := c.api.Verb(r.verb).
		Namespace(c.namespace).Resource("pods").Name(c.pod+":"+strconv.Itoa(Port)).SubResource("proxy").
		Suffix(append([]string{base}, r.path...)...).
		SetHeader(TokenHeader, c.token)
	if r.after > 0 {
		call = call.Param("after", strconv.Itoa(r.after))
	}
	if r.in != nil {
		data, err := json.Marshal(r.in)
		if err != nil {
			return fmt.Errorf("encode request: %w", err)
		}
		call = call.SetHeader("Content-Type", "application/json").Body(data)
	}
	var status int
	data, err := call.Do(ctx).StatusCode(&status).Raw()
	if err == nil && r.out != nil {
		err = json.Unmarshal(data, r.out)
	}
	if err != nil {
		return fmt.Errorf("control drivers of pod %s/%s: %w", c.namespace, c.pod, explain(err, status, data))
	}
	return nil
}

// explain returns the error that the pod reported. Errors of the API server
// have another format and are returned unchanged.
func explain(err error, status int, data []byte) error {
	var response failure
	if json.Unmarshal(data, &response) != nil || response.Error == "" {
		return err
	}
	for known, code := range statuses {
		if code == status {
			return reported{known, response.Error}
		}
	}
	return errors.New(response.Error)
}

// reported is an error that the pod reported, with its kind.
type reported struct {
	kind    error
	message string
}

func (e reported) Error() string { return e.message }
func (e reported) Unwrap() error { return e.kind }
