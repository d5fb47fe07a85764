// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package reads repeats reads of the API that fail for a moment, so that one answer
// of a busy API server fails no spec.
//
// client-go already repeats requests if the answer has a Retry-After header, and reads
// of which the connection broke: 10 times at most. This package repeats the other
// reads that may succeed a moment later. Writes are not repeated, because the API
// server may have performed one without saying so, except those that it says it has
// not performed, because it could not ask a webhook.
package reads

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
)

const (
	// attempts is how often a read is sent at most.
	attempts = 5
	// firstPause is the time before the second attempt. It doubles with each attempt,
	// so that reads which fail at once are repeated for 7.5 s. That is longer than etcd
	// takes to elect a leader.
	firstPause = 500 * time.Millisecond
	// latest is how long after the first attempt the last one may start, if attempts
	// take long.
	latest = 15 * time.Second
)

// Repeat returns a transport that repeats reads, and writes that were not admitted because a
// webhook did not answer. It is for the method Wrap of a client's
// configuration. A read that fails each time returns the last answer or error, and so
// does one whose context ends during a pause.
//
// Reads are requests for objects, lists and discovery. Not repeated are watches, which
// reflectors start again, subresources that connect to something else, such as logs
// and proxies, and checks of the API server's health.
func Repeat(next http.RoundTripper) http.RoundTripper { return repeater{next} }

type once struct{}

// Once returns a context for reads that are not repeated: those that find out whether
// the API server answers now.
func Once(ctx context.Context) context.Context { return context.WithValue(ctx, once{}, true) }

type repeater struct{ next http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (r repeater) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx := request.Context()
	switch {
	case ctx.Value(once{}) != nil:
		return r.next.RoundTrip(request)
	case isRead(request):
		return r.repeat(ctx, mayPass, func() (*http.Response, error) { return r.read(request) })
	case isRepeatable(request):
		return r.repeat(ctx, wasNotAdmitted, func() (*http.Response, error) { return r.write(request) })
	}
	return r.next.RoundTrip(request)
}

// repeat sends a request until it has another answer than one that may pass.
func (r repeater) repeat(ctx context.Context, mayPass func(*http.Response, error) bool, send func() (*http.Response, error)) (*http.Response, error) {
	last, pause := time.Now().Add(latest), firstPause
	for attempt := 1; ; attempt++ {
		response, err := send()
		if attempt == attempts || !mayPass(response, err) || time.Now().Add(pause).After(last) || !wait(ctx, pause) {
			return response, err
		}
		pause *= 2
	}
}

// read performs a request and reads the whole answer, so that the connection cannot
// break later. Answers are no larger than those that client-go reads into memory.
func (r repeater) read(request *http.Request) (*http.Response, error) {
	response, err := r.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	if err := readAll(response); err != nil {
		return nil, cutError{err}
	}
	return response, nil
}

// readAll replaces the body of an answer by its content.
func readAll(response *http.Response) error {
	content, err := io.ReadAll(response.Body)
	if closing := response.Body.Close(); err == nil {
		err = closing
	}
	response.Body = io.NopCloser(bytes.NewReader(content))
	return err
}

// cutError is the error of an answer that could not be read to its end.
type cutError struct{ reason error }

func (e cutError) Error() string { return fmt.Sprintf("read the answer to its end: %v", e.reason) }
func (e cutError) Unwrap() error { return e.reason }

// isRead reports whether a request reads objects, lists or discovery.
func isRead(request *http.Request) bool {
	if request.Method != http.MethodGet || request.Header.Get("Upgrade") != "" || request.URL.Query().Has("watch") {
		return false
	}
	others := []string{"attach", "exec", "healthz", "livez", "log", "portforward", "proxy", "readyz", "watch"}
	return !slices.ContainsFunc(strings.Split(request.URL.Path, "/"), func(part string) bool { return slices.Contains(others, part) })
}

// mayPass reports whether a read that had this answer or error may succeed a moment
// later. It is false if client-go repeats the read.
func mayPass(response *http.Response, err error) bool {
	if err != nil {
		repeated := utilnet.IsConnectionReset(err) || utilnet.IsProbableEOF(err) || utilnet.IsHTTP2ConnectionLost(err)
		_, cut := errors.AsType[cutError](err)
		return !repeated && (cut || utilnet.IsConnectionRefused(err) || utilnet.IsTimeout(err))
	}
	if _, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil {
		return false
	}
	switch response.StatusCode {
	case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// wait reports whether a pause has passed, and not the context has ended.
func wait(ctx context.Context, pause time.Duration) bool {
	if ctx.Err() != nil {
		return false
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
