// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/e2e/internal/ours"
	"github.com/draconform/draconform/e2e/nodeagent/api"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// Agents are the node agents of a run. Requests are canceled with their context.
// Errors wrap [api.ErrInvalid], [api.ErrForbidden], [api.ErrNotRegistered] or
// [api.ErrBusy] if an agent responded with the corresponding status.
type Agents struct {
	client  kubernetes.Interface
	options Options

	mu    sync.Mutex
	token string
}

var _ operations.NodeAgent = &Agents{}

// Connect returns a client for agents that are installed with the same options.
// It needs get on their Secret, and create on pods/proxy. It sends nothing.
func Connect(client kubernetes.Interface, options Options) (*Agents, error) {
	options, err := options.complete()
	if err != nil {
		return nil, err
	}
	return &Agents{client: client, options: options}, nil
}

// Registrations implements [operations.NodeAgent].
func (a *Agents) Registrations(ctx context.Context, node, driver string) (operations.Registrations, error) {
	return send[operations.Registrations](ctx, a, node, api.PathRegistrations, api.DriverRequest{Driver: driver})
}

// Prepare implements [operations.NodeAgent].
func (a *Agents) Prepare(ctx context.Context, node string, calls operations.PluginCalls) ([]operations.PluginAnswer, error) {
	return send[[]operations.PluginAnswer](ctx, a, node, api.PathPrepare, calls)
}

// Unprepare implements [operations.NodeAgent].
func (a *Agents) Unprepare(ctx context.Context, node string, calls operations.PluginCalls) ([]operations.PluginAnswer, error) {
	return send[[]operations.PluginAnswer](ctx, a, node, api.PathUnprepare, calls)
}

// Health implements [operations.NodeAgent].
func (a *Agents) Health(ctx context.Context, node string, request operations.HealthRequest) (operations.HealthReport, error) {
	return send[operations.HealthReport](ctx, a, node, api.PathHealth, request)
}

// CDIFiles implements [operations.NodeAgent].
func (a *Agents) CDIFiles(ctx context.Context, node string) ([]operations.CDIFile, error) {
	return send[[]operations.CDIFile](ctx, a, node, api.PathCDI, api.Empty{})
}

// HideCDIFiles implements [operations.NodeAgent].
func (a *Agents) HideCDIFiles(ctx context.Context, node string, files operations.CDIFileVersions) error {
	_, err := send[api.Empty](ctx, a, node, api.PathHideCDI, files)
	return err
}

// RestoreCDIFiles implements [operations.NodeAgent].
func (a *Agents) RestoreCDIFiles(ctx context.Context, node string, paths []string) error {
	_, err := send[api.Empty](ctx, a, node, api.PathRestoreCDI, api.CDIPaths{Paths: paths})
	return err
}

// DiscardCDIFiles implements [operations.NodeAgent].
func (a *Agents) DiscardCDIFiles(ctx context.Context, node string, paths []string) error {
	_, err := send[api.Empty](ctx, a, node, api.PathDiscardCDI, api.CDIPaths{Paths: paths})
	return err
}

// KubeletClaims implements [operations.NodeAgent].
func (a *Agents) KubeletClaims(ctx context.Context, node string) ([]operations.KubeletClaim, error) {
	return send[[]operations.KubeletClaim](ctx, a, node, api.PathClaims, api.Empty{})
}

// PodResources implements [operations.NodeAgent].
func (a *Agents) PodResources(ctx context.Context, node string, of operations.PodRequest) (operations.PodResources, error) {
	return send[operations.PodResources](ctx, a, node, api.PathPodResources, of)
}

// ping returns an error if the agent on a node does not answer.
func (a *Agents) ping(ctx context.Context, node string) error {
	_, err := send[api.Empty](ctx, a, node, api.PathPing, api.Empty{})
	return err
}

// send sends a request to the agent on a node.
func send[T any](ctx context.Context, a *Agents, node, path string, request any) (T, error) {
	var out T
	token, err := a.getToken(ctx)
	if err != nil {
		return out, err
	}
	body, err := json.Marshal(request)
	if err != nil {
		return out, fmt.Errorf("encode request to the node agent: %w", err)
	}
	var status int
	data, err := a.client.CoreV1().RESTClient().Verb(http.MethodPost).
		Namespace(a.options.Namespace).Resource("pods").Name(podName(node)+":"+strconv.Itoa(api.Port)).SubResource("proxy").
		Suffix(path).
		SetHeader(api.TokenHeader, token).SetHeader("Content-Type", "application/json").SetHeader("Accept", "application/json").
		Body(body).Do(ctx).StatusCode(&status).Raw()
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil {
		return out, fmt.Errorf("request %s of the node agent on %s, pod %s/%s: %w", path, node, a.options.Namespace, podName(node), explain(err, status, data))
	}
	return out, nil
}

// getToken returns the token of the run. It reads the Secret once.
func (a *Agents) getToken(ctx context.Context) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.token != "" {
		return a.token, nil
	}
	secret, err := a.client.CoreV1().Secrets(a.options.Namespace).Get(ctx, secretName, metav1.GetOptions{})
	if err != nil {
		return "", fmt.Errorf("get the token of the node agents: %w", err)
	}
	if err := ours.Check(secret, a.options.RunID); err != nil {
		return "", fmt.Errorf("get the token of the node agents: secret %s/%s: %w", secret.Namespace, secret.Name, err)
	}
	if a.token = string(secret.Data[tokenKey]); a.token == "" {
		return "", fmt.Errorf("get the token of the node agents: secret %s/%s has no %s", secret.Namespace, secret.Name, tokenKey)
	}
	return a.token, nil
}

// explain returns the error that an agent reported. Errors of the API server
// have another format and are returned unchanged.
func explain(err error, status int, data []byte) error {
	var response api.Failure
	if json.Unmarshal(data, &response) != nil || response.Error == "" {
		return err
	}
	for code, known := range map[int]error{
		http.StatusBadRequest: api.ErrInvalid, http.StatusForbidden: api.ErrForbidden,
		http.StatusNotFound: api.ErrNotRegistered, http.StatusTooManyRequests: api.ErrBusy,
	} {
		if code == status {
			return reported{known, response.Error}
		}
	}
	return errors.New(response.Error)
}

// reported is an error that an agent reported, with its kind.
type reported struct {
	kind    error
	message string
}

func (e reported) Error() string { return e.message }
func (e reported) Unwrap() error { return e.kind }
