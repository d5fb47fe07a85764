// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package results

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
)

// maxMessage limits the length of an error that a server returns.
const maxMessage = 1 << 10

// Dial connects to the port of a [Server].
type Dial func(context.Context) (net.Conn, error)

// Fetch writes the folder of a run from a server into the directory parent and
// returns its path, parent/name. It confirms the receipt, so that the server
// ends. If only that fails, it returns the path and an error. An existing folder
// is not changed: the error wraps fs.ErrExist.
func Fetch(ctx context.Context, dial Dial, parent, name string) (folder string, err error) {
	folder = filepath.Join(parent, name)
	if _, err := os.Lstat(folder); err == nil {
		return "", fmt.Errorf("write the results of a run to %s: %w", folder, fs.ErrExist)
	}
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", fmt.Errorf("write the results of a run: %w", err)
	}
	incoming, err := os.MkdirTemp(parent, ".receiving-")
	if err != nil {
		return "", fmt.Errorf("write the results of a run: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(incoming)) }()
	client := &http.Client{Transport: &http.Transport{
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) },
		DisableKeepAlives: true,
	}}
	if err := request(ctx, client, http.MethodGet, archivePath, func(r io.Reader) error { return Extract(r, incoming) }); err != nil {
		return "", err
	}
	if err := os.Rename(filepath.Join(incoming, name), folder); err != nil {
		return "", fmt.Errorf("take the folder of run %s from the results: %w", name, err)
	}
	return folder, request(ctx, client, http.MethodPost, receivedPath, func(io.Reader) error { return nil })
}

// request sends a request to a server and reads a successful response.
func request(ctx context.Context, client *http.Client, method, path string, read func(io.Reader) error) error {
	req, err := http.NewRequestWithContext(ctx, method, "http://results"+path, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("request the results of the run: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		message, _ := io.ReadAll(io.LimitReader(response.Body, maxMessage))
		return fmt.Errorf("request the results of the run: %s: %s", response.Status, bytes.TrimSpace(message))
	}
	return read(response.Body)
}
